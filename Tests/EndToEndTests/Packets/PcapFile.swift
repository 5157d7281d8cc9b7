import Foundation

/// A classic capture in little-endian order, to be taken apart: the same packets, or fewer of them, in one file or in many.
struct PcapFile {
    /// A packet with its header.
    struct Record {
        var bytes: ArraySlice<UInt8>

        /// Of the frame, which is Ethernet with IPv4 in it: the ports of source and destination.
        var ports: (source: Int, destination: Int) {
            let frame = bytes.dropFirst(16)
            let segment = frame.dropFirst(14 + 4 * Int(frame[frame.startIndex + 14] & 15)).prefix(4).map(
                Int.init
            )
            return (segment[0] << 8 | segment[1], segment[2] << 8 | segment[3])
        }
    }

    let header: ArraySlice<UInt8>
    var records: [Record] = []

    init(_ path: String) throws {
        let bytes = try Array(Data(contentsOf: URL(filePath: path)))
        header = bytes.prefix(24)
        var rest = bytes.dropFirst(24)
        while rest.count >= 16 {
            let size = rest.dropFirst(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            records.append(Record(bytes: rest.prefix(16 + size)))
            rest = rest.dropFirst(16 + size)
        }
    }

    /// Writes some of the packets as a file of their own.
    func write(_ records: some Sequence<Record>, to path: String) throws {
        try Data(header + records.flatMap(\.bytes)).write(to: URL(filePath: path))
    }
}
