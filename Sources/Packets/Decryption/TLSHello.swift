/// A ClientHello as far as it is needed (RFC 8446, section 4.1.2).
struct TLSClientHello {
    var random: TLSRandom
    var serverName: String?
    var alpn: [String] = []
    var offersEarlyData = false
    /// Of the session that it wants to go on with, in TLS 1.2 and before.
    var sessionID: [UInt8]
    var ticket: [UInt8] = []

    /// Nil where its fixed part is not there; extensions are read as far as they go.
    init?(_ body: [UInt8]) {
        var reader = TLSVectorReader(body[...])
        guard reader.integer16() != nil, let random = reader.take(32).flatMap({ TLSRandom($0) }),
            let sessionID = reader.vector8(), reader.vector16() != nil, reader.vector8() != nil
        else { return nil }
        self.random = random
        self.sessionID = Array(sessionID)
        guard let extensions = reader.vector16() else { return }
        TLSVectorReader.forEachExtension(extensions) { type, data in
            switch type {
            case 0:
                var reader = TLSVectorReader(data)
                guard serverName == nil, var names = reader.vector16().map({ TLSVectorReader($0) }) else {
                    return
                }
                while let kind = names.integer8(), let name = names.vector16() {
                    guard kind == 0, serverName == nil, !name.isEmpty else { continue }
                    serverName = String(decoding: name, as: UTF8.self)
                }
            case 16: if alpn.isEmpty { alpn = TLSVectorReader.protocolNames(data) }
            case 35: ticket = Array(data)
            case 42: offersEarlyData = true
            default: return
            }
        }
    }
}

/// A ServerHello as far as it is needed (RFC 8446, section 4.1.3; RFC 5246, section 7.4.1.3).
struct TLSServerHello {
    var random: TLSRandom
    /// That of the supported_versions extension where it is there.
    var version: UInt16
    var suite: UInt16
    var compression: UInt8
    var alpn: String?
    var encryptsThenAuthenticates = false
    var takesPreSharedKey = false
    var sessionID: [UInt8]

    /// Whether it asks for another ClientHello.
    var isRetryRequest: Bool { random == TLSRandom.retryRequest }

    /// Nil where its fixed part is not there; extensions are read as far as they go.
    init?(_ body: [UInt8]) {
        var reader = TLSVectorReader(body[...])
        guard let version = reader.integer16(), let random = reader.take(32).flatMap({ TLSRandom($0) }),
            let sessionID = reader.vector8(), let suite = reader.integer16(),
            let compression = reader.integer8()
        else { return nil }
        self.version = UInt16(version)
        self.random = random
        self.sessionID = Array(sessionID)
        self.suite = UInt16(suite)
        self.compression = UInt8(compression)
        guard let extensions = reader.vector16() else { return }
        TLSVectorReader.forEachExtension(extensions) { type, data in
            switch type {
            case 16: alpn = TLSVectorReader.protocolNames(data).first
            case 22: encryptsThenAuthenticates = true
            case 41: takesPreSharedKey = true
            case 43:
                var reader = TLSVectorReader(data)
                if let version = reader.integer16() { self.version = UInt16(version) }
            default: return
            }
        }
    }
}

/// EncryptedExtensions as far as it is needed (RFC 8446, section 4.3.1).
struct TLSEncryptedExtensions {
    var alpn: String?
    var takesEarlyData = false

    init(_ body: [UInt8]) {
        var reader = TLSVectorReader(body[...])
        guard let extensions = reader.vector16() else { return }
        TLSVectorReader.forEachExtension(extensions) { type, data in
            switch type {
            case 16: alpn = TLSVectorReader.protocolNames(data).first
            case 42: takesEarlyData = true
            default: return
            }
        }
    }
}

/// Reads the vectors of TLS (RFC 8446, section 3.4); nil where the bytes do not suffice.
struct TLSVectorReader {
    /// What was not taken.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func integer8() -> Int? { take(1).map { Int($0[$0.startIndex]) } }

    mutating func integer16() -> Int? {
        take(2).map { Int($0[$0.startIndex]) << 8 | Int($0[$0.startIndex + 1]) }
    }

    mutating func vector8() -> ArraySlice<UInt8>? { integer8().flatMap { take($0) } }

    mutating func vector16() -> ArraySlice<UInt8>? { integer16().flatMap { take($0) } }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    static func forEachExtension(_ bytes: ArraySlice<UInt8>, _ body: (Int, ArraySlice<UInt8>) -> Void) {
        var reader = TLSVectorReader(bytes)
        while let type = reader.integer16(), let data = reader.vector16() { body(type, data) }
    }

    static func protocolNames(_ data: ArraySlice<UInt8>) -> [String] {
        var reader = TLSVectorReader(data)
        var names: [String] = []
        guard var list = reader.vector16().map({ TLSVectorReader($0) }) else { return names }
        while let name = list.vector8() { names.append(String(decoding: name, as: UTF8.self)) }
        return names
    }
}
