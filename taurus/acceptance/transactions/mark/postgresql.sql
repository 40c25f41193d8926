UPDATE data_table SET mark = :mark WHERE _id = :account
