//! Enums that the database keeps as words of text.

/// A text in the database that is not a word of the column's enum: another version wrote it, or somebody by hand.
/// The query that read it fails; nothing is guessed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{column} is “{found}” in the database, which this version does not know; it knows {known}")]
pub struct UnknownWord {
    /// Table and column.
    pub column: &'static str,
    /// The text that was found.
    pub found: String,
    /// The words that are known, as a list.
    pub known: String,
}

/// Makes an enum whose values are words of a text column: `pub enum Name in "table.column" { Value = "word", … }`.
/// Rows and conditions of queries carry it; the words stand here alone.
macro_rules! word_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident in $column:literal { $( $(#[$about:meta])* $value:ident = $word:literal, )+ }
    ) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord,
            diesel::expression::AsExpression, diesel::deserialize::FromSqlRow,
        )]
        #[diesel(sql_type = diesel::sql_types::Text)]
        pub enum $name { $( $(#[$about])* $value, )+ }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$value),+];

            /// The word as it is stored.
            pub const fn word(self) -> &'static str {
                match self { $($name::$value => $word,)+ }
            }

            /// The one that is stored as this word.
            pub fn from_word(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$value),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl<DB> diesel::serialize::ToSql<diesel::sql_types::Text, DB> for $name
        where
            DB: diesel::backend::Backend,
            str: diesel::serialize::ToSql<diesel::sql_types::Text, DB>,
        {
            fn to_sql<'b>(&'b self, out: &mut diesel::serialize::Output<'b, '_, DB>) -> diesel::serialize::Result {
                <str as diesel::serialize::ToSql<diesel::sql_types::Text, DB>>::to_sql(self.word(), out)
            }
        }

        impl<DB> diesel::deserialize::FromSql<diesel::sql_types::Text, DB> for $name
        where
            DB: diesel::backend::Backend,
            String: diesel::deserialize::FromSql<diesel::sql_types::Text, DB>,
        {
            fn from_sql(bytes: DB::RawValue<'_>) -> diesel::deserialize::Result<$name> {
                let found = <String as diesel::deserialize::FromSql<diesel::sql_types::Text, DB>>::from_sql(bytes)?;
                $name::from_word(&found).ok_or_else(|| {
                    let known: Vec<&str> = $name::ALL.iter().map(|value| value.word()).collect();
                    $crate::store::word::UnknownWord { column: $column, found, known: known.join(", ") }.into()
                })
            }
        }
    };
}

pub(crate) use word_enum;
