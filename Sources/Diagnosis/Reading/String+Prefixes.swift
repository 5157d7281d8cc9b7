extension String {
    /// How many bytes two texts have in common from the start on.
    func commonPrefixLength(with other: String) -> Int { zip(utf8, other.utf8).prefix { $0 == $1 }.count }

    /// No more than so many bytes of it.
    func prefixBytes(_ count: Int) -> String {
        utf8.count <= count ? self : String(decoding: utf8.prefix(count), as: UTF8.self)
    }
}
