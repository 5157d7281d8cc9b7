extension String {
    /// How many bytes two texts have in common from the start on.
    func commonPrefixLength(with other: String) -> Int { zip(utf8, other.utf8).prefix { $0 == $1 }.count }
}
