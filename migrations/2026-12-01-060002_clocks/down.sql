DROP TABLE credit_marks;
DROP TABLE credits;
