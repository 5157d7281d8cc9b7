extension Duration {
    /// Seconds with three digits behind the point, as the attribute `time` of JUnit has them.
    var junitTime: String {
        let milliseconds = components.attoseconds / 1_000_000_000_000_000
        return "\(components.seconds).\(String(milliseconds + 1000).dropFirst())"
    }
}
