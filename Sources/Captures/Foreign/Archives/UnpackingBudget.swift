/// How much may come out of a packed file, however deep the packing goes.
final class UnpackingBudget {
    private var remaining: Int
    private let limit: Int
    private let packed: Int

    /// Bytes that come out of any file at most.
    private static let most = 64 << 30
    /// Deflate gives 1032 bytes for one at most: what gives more is packed twice to blow up.
    static let mostPerByte = 1100

    /// - Parameters:
    ///   - packed: bytes of the file as it was opened.
    ///   - least: bytes that may come out of the smallest, which may be packed as well as it likes.
    init(packed: Int, least: Int = 64 << 20) {
        let byRatio = packed.multipliedReportingOverflow(by: Self.mostPerByte)
        limit = min(Self.most, byRatio.overflow ? Self.most : max(least, byRatio.partialValue))
        remaining = limit
        self.packed = packed
    }

    /// - Throws: ``CaptureError/unusableArchive(path:reason:)`` when it is too much.
    func take(_ count: Int, name: String) throws(CaptureError) {
        remaining -= count
        guard remaining >= 0 else {
            throw .unusableArchive(
                path: name,
                reason: "more than \(limit >> 20) MB come out of \(packed) bytes; it is not unpacked further"
            )
        }
    }
}
