//! What the Rust modules of a mesh share.

/// The words of a page about a module.
pub fn heading(module: &str) -> String {
    // What every page of the mesh says.
    format!("{module} runs, from rust-core")
}

/// Text for HTML: nothing in it is markup any more.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            _ => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_that_it_runs() {
        assert!(heading("rust-page").starts_with("rust-page runs"));
    }

    #[test]
    fn leaves_no_markup() {
        assert_eq!(escape("<b>\"&\"</b>"), "&lt;b&gt;&quot;&amp;&quot;&lt;/b&gt;");
    }
}
