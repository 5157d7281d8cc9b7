extension Duration {
    /// Whole milliseconds, cut off.
    package var wholeMilliseconds: Int64 {
        components.seconds.multipliedReportingOverflow(by: 1000).partialValue
            &+ components.attoseconds / 1_000_000_000_000_000
    }
}
