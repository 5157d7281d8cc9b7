/// One end of a connection.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    package var address: [UInt8]
    package var port: UInt16

    package init(address: [UInt8], port: UInt16) {
        self.address = address
        self.port = port
    }

    /// `127.0.0.1:443`, `[::1]:443`; the shortest text of an IPv6 address (RFC 5952).
    package var description: String { "\(addressText):\(port)" }

    /// The address as URLs write it: `127.0.0.1`, `[::1]`.
    package var addressText: String {
        guard address.count == 16 else { return address.map(String.init).joined(separator: ".") }
        let groups = (0..<8).map { UInt16(address[2 * $0]) << 8 | UInt16(address[2 * $0 + 1]) }
        guard let gap = Self.longestGap(groups) else { return "[\(Self.hexadecimal(groups[...]))]" }
        return
            "[\(Self.hexadecimal(groups[..<gap.lowerBound]))::\(Self.hexadecimal(groups[gap.upperBound...]))]"
    }

    private static func hexadecimal(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// The first of the longest runs of zeros, from two on (RFC 5952, section 4.2).
    private static func longestGap(_ groups: [UInt16]) -> Range<Int>? {
        var longest = 0..<1
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 }
            if index + 1 - start > longest.count { longest = start..<index + 1 }
        }
        return longest.count > 1 ? longest : nil
    }
}
