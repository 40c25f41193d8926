SELECT _id, balance, mark FROM data_table WHERE _id = :account
