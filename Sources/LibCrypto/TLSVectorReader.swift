/// Reads the vectors of TLS (RFC 8446, section 3.4); nil where the bytes do not suffice.
package struct TLSVectorReader {
    /// What was not taken.
    package private(set) var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// A number of one byte.
    package mutating func integer8() -> Int? { take(1).map { Int($0[$0.startIndex]) } }

    /// A number of two bytes, the larger one first.
    package mutating func integer16() -> Int? {
        take(2).map { Int($0[$0.startIndex]) << 8 | Int($0[$0.startIndex + 1]) }
    }

    /// A vector behind a length of one byte.
    package mutating func vector8() -> ArraySlice<UInt8>? { integer8().flatMap { take($0) } }

    /// A vector behind a length of two bytes.
    package mutating func vector16() -> ArraySlice<UInt8>? { integer16().flatMap { take($0) } }

    /// So many bytes as they are.
    package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension TLSVectorReader {
    /// The numbers of a list, of two bytes each.
    package static func numbers(_ list: ArraySlice<UInt8>) -> [Int] {
        var reader = TLSVectorReader(list)
        var numbers: [Int] = []
        while let number = reader.integer16() { numbers.append(number) }
        return numbers
    }

    /// The extensions of a hello, with their types, as far as they can be read (RFC 8446, section 4.2).
    package static func forEachExtension(
        _ bytes: ArraySlice<UInt8>,
        _ body: (Int, ArraySlice<UInt8>) -> Void
    ) {
        var reader = TLSVectorReader(bytes)
        while let type = reader.integer16(), let data = reader.vector16() { body(type, data) }
    }

    /// The first host name in a `server_name` extension of a ClientHello (RFC 6066, section 3); nil where there is none.
    package static func serverName(_ data: ArraySlice<UInt8>) -> String? {
        var reader = TLSVectorReader(data)
        guard var names = reader.vector16().map({ TLSVectorReader($0) }) else { return nil }
        while let kind = names.integer8(), let name = names.vector16() {
            if kind == 0, !name.isEmpty { return String(decoding: name, as: UTF8.self) }
        }
        return nil
    }

    /// The names in an `application_layer_protocol_negotiation` extension (RFC 7301, section 3.1).
    package static func protocolNames(_ data: ArraySlice<UInt8>) -> [String] {
        var reader = TLSVectorReader(data)
        var names: [String] = []
        guard var list = reader.vector16().map({ TLSVectorReader($0) }) else { return names }
        while let name = list.vector8() { names.append(String(decoding: name, as: UTF8.self)) }
        return names
    }
}
