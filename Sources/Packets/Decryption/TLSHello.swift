internal import LibCrypto

/// A ClientHello as far as it is needed (RFC 8446, section 4.1.2).
struct TLSClientHello {
    var random: TLSRandom
    var serverName: String?
    var alpn: [String] = []
    var offersEarlyData = false
    /// Whether it has another hello in it, encrypted (RFC 9849), or looks so.
    var mayHoldAnother = false
    /// Of the session that it wants to go on with, in TLS 1.2 and before.
    var sessionID: [UInt8]
    var ticket: [UInt8] = []

    /// Nil where its fixed part is not there; extensions are read as far as they go.
    ///
    /// `isWhole`: false where only its beginning is there.
    init?(_ body: [UInt8], isWhole: Bool = true) {
        var reader = TLSVectorReader(body[...])
        guard reader.integer16() != nil, let random = reader.take(32).flatMap({ TLSRandom($0) }),
            let sessionID = reader.vector8(), reader.vector16() != nil, reader.vector8() != nil
        else { return nil }
        self.random = random
        self.sessionID = Array(sessionID)
        guard let extensions = isWhole ? reader.vector16() : reader.integer16().map({ _ in reader.rest })
        else { return }
        TLSVectorReader.forEachExtension(extensions) { type, data in
            switch type {
            case 0: serverName = serverName ?? TLSVectorReader.serverName(data)
            case 16: if alpn.isEmpty { alpn = TLSVectorReader.protocolNames(data) }
            case 35: ticket = Array(data)
            case 42: offersEarlyData = true
            case 0xfe0d: mayHoldAnother = true
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
    var extendsMasterSecret = false
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
            case 23: extendsMasterSecret = true
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
