DROP TABLE forms_done;
