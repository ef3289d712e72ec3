//! Pages that bring people to tables: the start page, lists of tables, making one, and a table that waits.

pub mod home;
pub mod practice;
pub mod table;
pub mod table_host;
pub mod table_new;
pub mod tables_open;
