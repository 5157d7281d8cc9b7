import JSON

/// What a container printed, as Docker keeps it (`json-file`): each line as the text in an object, `{"log":"…\n","stream":…,"time":…}`.
enum ContainerLog {
    /// Whether a text begins with such an object; in HAR `log` is an object itself.
    static func isIt(_ source: CaptureSource) -> Bool {
        var head = source.bytes(at: 0, count: 4096).drop {
            $0 <= 0x20 || $0 == 0xef || $0 == 0xbb || $0 == 0xbf
        }
        for token in ["{", "\"log\"", ":", "\""] {
            guard head.starts(with: token.utf8) else { return false }
            head = head.dropFirst(token.utf8.count).drop { $0 <= 0x20 }
        }
        return true
    }

    /// The lines one behind the other: a long one is in several objects, and has its end in the last.
    ///
    /// - Returns: what is not read of the log.
    static func convert(_ source: CaptureSource, into text: ScratchText) throws(CaptureError) -> Capture.Loss?
    {
        var events = JSONEvents(source)
        var failure: CaptureError?
        events.run { event, _ in
            guard let line = event["log"]?.string else { return true }
            do throws(CaptureError) {
                try Array(line.utf8).withUnsafeBufferPointer { piece throws(CaptureError) in
                    try text.append(piece)
                }
            } catch {
                failure = error
            }
            return failure == nil
        }
        if let failure { throw failure }
        return events.loss
    }
}
