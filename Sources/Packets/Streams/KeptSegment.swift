internal import Captures

/// A segment that is looked at later, with its payload, which is there else as long as its packet.
struct KeptSegment {
    /// Without its payload.
    private(set) var segment: TCPSegment
    let bytes: [UInt8]
    /// When it was captured.
    let time: Timestamp

    init(_ segment: TCPSegment, at time: Timestamp) {
        self.segment = segment
        self.segment.payload = UnsafeRawBufferPointer(start: nil, count: 0)
        bytes = Array(segment.payload)
        self.time = time
    }

    /// Whether another segment is the same one, of which the capture kept more.
    func isCutCopy(of other: TCPSegment) -> Bool {
        other.missing < segment.missing && other.dataCount == bytes.count + segment.missing
            && other.sequence == segment.sequence && other.acknowledgment == segment.acknowledgment
            && other.flags == segment.flags && other.checksum != .isWrong
            && FlowKey.of(other) == FlowKey.of(segment) && other.payload.starts(with: bytes)
    }

    /// Calls a closure with the whole of it, which is there during the call only.
    func withSegment(_ body: (TCPSegment) -> Void) {
        bytes.withUnsafeBytes {
            var whole = segment
            whole.payload = $0
            body(whole)
        }
    }
}
