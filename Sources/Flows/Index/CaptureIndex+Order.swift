extension CaptureIndex {
    /// Exchanges in the order of time, as ``order`` has them.
    package func inOrder(_ exchanges: some Sequence<Int>) -> [Int] { inOrder(exchanges) { $0 } }

    /// What belongs to an exchange each, in the order of these.
    package func inOrder<Element>(
        _ elements: some Sequence<Element>,
        by exchange: (Element) -> Int
    ) -> [Element] {
        elements.sorted { position[exchange($0)] < position[exchange($1)] }
    }
}
