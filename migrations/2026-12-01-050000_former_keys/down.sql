DROP TABLE former_keys;
