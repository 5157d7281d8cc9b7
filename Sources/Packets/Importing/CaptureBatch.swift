internal import Captures

/// Collects exchanges for few writes: many small ones cost as much as one large one.
struct CaptureBatch {
    private let writer: CaptureWriter
    private var waiting: [Exchange] = []
    /// Bytes of their bodies.
    private var weight = 0

    private static let maximumCount = 64
    private static let maximumWeight = 1 << 20

    init(writer: CaptureWriter) { self.writer = writer }

    mutating func append(_ exchanges: [Exchange]) throws(CaptureError) {
        guard !exchanges.isEmpty else { return }
        for exchange in exchanges {
            weight += (exchange.request.body?.wireSize ?? 0) + (exchange.response?.body?.wireSize ?? 0)
        }
        waiting += exchanges
        if waiting.count >= Self.maximumCount || weight >= Self.maximumWeight { try write() }
    }

    /// Writes what waits.
    mutating func write() throws(CaptureError) {
        guard !waiting.isEmpty else { return }
        try writer.append(waiting)
        waiting.removeAll(keepingCapacity: true)
        weight = 0
    }
}
