DROP TABLE writes;
