extension Int {
    /// The number with what it counts: `1 note`, `2 notes`.
    package func counted(_ word: String) -> String { "\(self) \(word)\(self == 1 ? "" : "s")" }
}
