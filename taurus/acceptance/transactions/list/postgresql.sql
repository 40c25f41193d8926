SELECT _id, balance FROM data_table WHERE _id <= :account ORDER BY _id DESC LIMIT 10
