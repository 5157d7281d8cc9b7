/// What a page says of itself in large letters: the words of its title and of its headings.
package enum HTMLHeadings {
    /// Those of `title`, `h1` and `h2`, in order, the first few and each by its beginning; empty ones are left out, and what
    /// is for browsers without scripts.
    package static func all(in page: [UInt8]) -> [String] {
        guard ["title", "h1", "h2"].contains(where: { HTMLTags.isBegun($0, in: page) }) else { return [] }
        var headings: [String] = []
        var tags = HTMLTags(page, of: ["title", "h1", "h2", "/title", "/h1", "/h2", "noscript", "/noscript"])
        var isScriptless = false
        while headings.count < most, let tag = tags.next() {
            if tag.name.hasSuffix("noscript") { isScriptless = tag.name == "noscript" }
            guard !isScriptless, ["title", "h1", "h2"].contains(tag.name) else { continue }
            let words = tags.words(limit: longest)
            if !words.isEmpty { headings.append(words) }
        }
        return headings
    }

    private static let most = 8
    /// In bytes of the page.
    private static let longest = 400
}
