/// Collects the bytes of one body: in memory while it is small, then in a file.
struct BodyStore {
    /// From this size on a body is in a file, where there is a folder for it.
    ///
    /// Tokens, pages and keys are far below.
    static let spoolingSize = 512 << 10

    private(set) var bytes: [UInt8] = []
    private(set) var spooled: SpooledBytes?
    /// Where the file is made; nil keeps every body in memory.
    private var folder: String?

    init(folder: String? = nil) { self.folder = folder }

    var count: Int { spooled?.count ?? bytes.count }

    var content: Body.Content { spooled.map { .spooled($0) } ?? .bytes(bytes) }

    /// Hands out all bytes in order, until `body` has had enough.
    func withPieces(_ body: (UnsafeBufferPointer<UInt8>) -> Bool) {
        if let spooled {
            spooled.withPieces(body)
        } else {
            bytes.withUnsafeBufferPointer { _ = body($0) }
        }
    }

    /// - Returns: how many were taken; fewer on a full disk only.
    mutating func append(_ piece: UnsafeBufferPointer<UInt8>) -> Int {
        if spooled == nil, let folder, bytes.count + piece.count > Self.spoolingSize {
            spool(in: folder)
        }
        guard spooled != nil else {
            bytes.append(contentsOf: piece)
            return piece.count
        }
        return spooled?.append(piece) ?? 0
    }

    /// Goes on in a file, or without one for good.
    private mutating func spool(in folder: String) {
        self.folder = nil
        guard var file = SpooledBytes(in: folder),
            bytes.withUnsafeBufferPointer({ file.append($0) }) == bytes.count
        else { return }
        spooled = file
        bytes = []
    }
}
