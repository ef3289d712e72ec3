//! The table that comes out.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::drive::Measured;

/// A line of the table.
pub struct Row {
    /// What was measured.
    pub what: String,
    /// What it came to, in words.
    pub came_to: String,
    /// What it should come to; empty where nothing was agreed on.
    pub goal: String,
    /// The figures by name.
    pub values: Vec<(String, f64)>,
}

/// All lines so far. Each is printed as soon as it is there.
#[derive(Default)]
pub struct Report {
    rows: Vec<Row>,
}

impl Report {
    /// Adds a line.
    pub fn add(&mut self, what: impl Into<String>, came_to: impl Into<String>, goal: &str, values: &[(&str, f64)]) {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let row = Row { what: what.into(), came_to: came_to.into(), goal: goal.to_owned(), values };
        eprintln!("  {}: {}", row.what, row.came_to);
        self.rows.push(row);
    }

    /// Adds the line of a load.
    pub fn add_load(&mut self, what: impl Into<String>, measured: &Measured, more: &str, goal: &str) {
        self.add(what, format!("{}{more}", measured.words()), goal, &measured.values());
    }

    /// The table, as Markdown.
    pub fn text(&self) -> String {
        let mut text = String::from("| | measured | to reach |\n|---|---|---|\n");
        for row in &self.rows {
            let _ = writeln!(text, "| {} | {} | {} |", row.what, row.came_to, row.goal);
        }
        text
    }

    /// The same for programs.
    pub fn json(&self, database: &str) -> Value {
        let row = |row: &Row| {
            let values: Map<String, Value> =
                row.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            json!({ "what": row.what, "came_to": row.came_to, "goal": row.goal, "values": values })
        };
        json!({ "database": database, "rows": self.rows.iter().map(row).collect::<Vec<_>>() })
    }
}
