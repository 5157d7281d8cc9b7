/// The names of cookies that came with a request, as evidence shows them.
enum CookieNames {
    private static let shownAtMost = 8

    /// Each once and in order, and beyond eight how many more there are; `none` without any.
    static func shown(_ names: some Sequence<String>) -> String {
        let all = Set(names).sorted()
        guard !all.isEmpty else { return "none" }
        let text = all.prefix(shownAtMost).joined(separator: ", ")
        return all.count > shownAtMost ? "\(text) and \(all.count - shownAtMost) more" : text
    }
}
