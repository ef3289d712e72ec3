//! Lists that are told page by page.

/// Where a page of a list stands among the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pager {
    /// This page, counted from 1.
    pub page: i64,
    /// How many pages there are.
    pub pages: i64,
    /// Address of the page before.
    pub before: Option<String>,
    /// Address of the page after.
    pub after: Option<String>,
}

impl Pager {
    /// The pager of a list of `total` entries, `a_page` on each page; `link` returns the address of a page.
    pub fn new(page: i64, total: i64, a_page: i64, link: impl Fn(i64) -> String) -> Pager {
        let pages = ((total + a_page - 1) / a_page).max(1);
        Pager {
            page,
            pages,
            before: (page > 1).then(|| link((page - 1).min(pages))),
            after: (page < pages).then(|| link(page + 1)),
        }
    }
}

/// The number of a page as an address names it; anything else is the first.
pub fn asked(text: &str) -> i64 {
    text.parse().ok().filter(|page| (1..=1_000_000).contains(page)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_know_their_neighbours() {
        let pager = |page, total| Pager::new(page, total, 10, |page| page.to_string());
        let ends = |pager: Pager| (pager.pages, pager.before, pager.after);
        assert_eq!(ends(pager(1, 0)), (1, None, None));
        assert_eq!(ends(pager(1, 10)), (1, None, None));
        assert_eq!(ends(pager(1, 11)), (2, None, Some("2".to_owned())));
        assert_eq!(ends(pager(2, 31)), (4, Some("1".to_owned()), Some("3".to_owned())));
        // A page behind the end leads back into the list.
        assert_eq!(ends(pager(9, 11)), (2, Some("2".to_owned()), None));
    }

    #[test]
    fn what_is_no_page_is_the_first() {
        for (text, page) in [("", 1), ("3", 3), ("-1", 1), ("x", 1), ("0", 1), ("99999999999999999999", 1)] {
            assert_eq!(asked(text), page, "{text}");
        }
    }
}
