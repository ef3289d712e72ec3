//! Rebuilds when a migration folder is added: the migrations are embedded in the binary.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
