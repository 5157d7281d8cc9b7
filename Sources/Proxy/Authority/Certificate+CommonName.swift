internal import LibCrypto

extension Certificate {
    /// What trust stores list the certificate as: its common name, where that is its whole subject, which
    /// holds for authorities of ours; else the subject in one line.
    var commonName: String {
        let subject = subject
        guard subject.utf8.starts(with: "CN=".utf8) else { return subject }
        var name: [UInt8] = []
        var isEscaped = false
        for byte in subject.utf8.dropFirst(3) {
            // Another part follows (RFC 2253, section 2.2).
            if !isEscaped, byte == 0x2c || byte == 0x2b { return subject }
            isEscaped = !isEscaped && byte == 0x5c
            if !isEscaped { name.append(byte) }
        }
        return String(decoding: name, as: UTF8.self)
    }
}
