import JSON

extension CaptureMerger {
    /// Exchanges that are held at a time.
    private static let batch = 64

    /// Writes the merged capture.
    ///
    /// - Parameters:
    ///   - writer: of a file made with ``logMembers``.
    ///   - progress: is told now and then which exchange was written last.
    /// - Returns: how many exchanges the files tell differently, their times aside.
    /// - Throws: what the writer throws; what was written before stays.
    package func write(to writer: CaptureWriter, progress: (Int) -> Void = { _ in }) throws(CaptureError)
        -> Int
    {
        var differing = 0
        var waiting: [Exchange] = []
        for index in 0..<count {
            let exchange = exchange(at: index)
            if exchange.isToldDifferently { differing += 1 }
            waiting.append(exchange)
            // Large bodies are read when they are written: one at a time.
            if waiting.count >= Self.batch || exchange.hasBodyToRead {
                let first = index + 1 - waiting.count
                try writer.append(waiting) { original(at: first + $0) }
                waiting = []
                progress(index)
            }
        }
        let first = count - waiting.count
        try writer.append(waiting) { original(at: first + $0) }
        return differing
    }
}

extension Exchange {
    /// Whether files tell other things of it than when it was.
    fileprivate var isToldDifferently: Bool {
        provenance.differs.members.contains { file in
            file.value.object?.members.contains { !["startedDateTime", "time"].contains($0.name) } ?? false
        }
    }

    /// Whether a body of it is in a file.
    fileprivate var hasBodyToRead: Bool {
        [request.body, response?.body].contains { body in
            switch body?.content {
            case .deferred, .spooled: true
            case .bytes, .missing, .parameters, nil: false
            }
        }
    }
}
