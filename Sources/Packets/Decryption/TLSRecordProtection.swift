internal import LibCrypto

/// Opens the records of one direction under one key.
///
/// What does not authenticate is not opened; the number of the record is its caller's to know.
final class TLSRecordProtection {
    struct Opened {
        /// Of the content, also where the record says another one (TLS 1.3).
        var type: UInt8
        /// Of the content in the output.
        var length: Int
    }

    enum Form {
        /// TLS 1.3: the content's type and padding are inside.
        case hidden(MessageDecryptor)
        /// GCM and CCM of TLS 1.2: half of the nonce stands in the record.
        case explicitNonce(MessageDecryptor)
        /// ChaCha20 of TLS 1.2: the nonce is made of the number.
        case implicitNonce(MessageDecryptor)
        case blocks(Blocks)
        case clear(MessageAuthenticator, codeSize: Int)
    }

    struct Blocks {
        var cipher: BlockDecryptor
        var authenticator: MessageAuthenticator
        var codeSize: Int
        /// RFC 7366.
        var encryptsFirst: Bool
        /// From TLS 1.1 on each record has its own initialisation vector in front; before, it is the end of the one before.
        var hasVector: Bool
    }

    private let form: Form
    private let vector: [UInt8]
    /// The nonce (16 bytes), then what is authenticated (13).
    private let scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: 32)
    /// The last block of the record before, in TLS 1.0.
    private var chain: [UInt8]

    /// - Parameters:
    ///   - form: the cipher with its keys.
    ///   - vector: 12 bytes, 4 where half of the nonce stands in the record, a block in TLS 1.0, else none.
    init(_ form: Form, vector: [UInt8]) {
        self.form = form
        self.vector = vector
        chain = vector
        scratch.initialize(repeating: 0, count: 32)
    }

    deinit { scratch.deallocate() }

    /// Writes the content of a record to `output`, which has room for as many bytes as the record has.
    ///
    /// - Returns: nil where it does not authenticate as the record with this number.
    func open(_ record: UnsafeRawBufferPointer, number: UInt64, into output: UnsafeMutableRawPointer)
        -> Opened?
    {
        guard record.count >= TLSRecordHeader.size else { return nil }
        let fragment = UnsafeRawBufferPointer(rebasing: record[TLSRecordHeader.size...])
        switch form {
        case .hidden(let cipher):
            guard fragment.count > cipher.tagSize else { return nil }
            setNonce(of: number)
            let header = UnsafeRawBufferPointer(rebasing: record[..<TLSRecordHeader.size])
            guard
                cipher.open(
                    fragment,
                    nonce: scratch,
                    authenticating: header.assumingMemoryBound(to: UInt8.self),
                    into: output
                )
            else { return nil }
            return content(output, length: fragment.count - cipher.tagSize)
        case .explicitNonce(let cipher):
            let length = fragment.count - 8 - cipher.tagSize
            guard length >= 0 else { return nil }
            for index in 0..<4 { scratch[index] = vector[index] }
            for index in 0..<8 { scratch[4 + index] = fragment[index] }
            let data = authenticated(record, number: number, length: length)
            let sealed = UnsafeRawBufferPointer(rebasing: fragment[8...])
            guard cipher.open(sealed, nonce: scratch, authenticating: data, into: output) else { return nil }
            return Opened(type: record[0], length: length)
        case .implicitNonce(let cipher):
            let length = fragment.count - cipher.tagSize
            guard length >= 0 else { return nil }
            setNonce(of: number)
            let data = authenticated(record, number: number, length: length)
            guard cipher.open(fragment, nonce: scratch, authenticating: data, into: output) else {
                return nil
            }
            return Opened(type: record[0], length: length)
        case .blocks(let blocks): return open(blocks, record, fragment, number, output)
        case .clear(let authenticator, let codeSize):
            let length = fragment.count - codeSize
            guard length >= 0 else { return nil }
            let body = UnsafeRawBufferPointer(rebasing: fragment[..<length])
            let code = UnsafeRawBufferPointer(rebasing: fragment[length...])
            let head = authenticated(record, number: number, length: length)
            guard authenticator.verifies(code, head: head, body: body) else { return nil }
            output.copyMemory(from: body.baseAddress ?? UnsafeRawPointer(output), byteCount: length)
            return Opened(type: record[0], length: length)
        }
    }

    /// What a record has more than its content, without its header; nil where that differs.
    var overhead: Int? {
        switch form {
        case .hidden(let cipher): cipher.tagSize + 1
        case .explicitNonce(let cipher): cipher.tagSize + 8
        case .implicitNonce(let cipher): cipher.tagSize
        case .clear(_, let codeSize): codeSize
        case .blocks: nil
        }
    }

    /// A record that could not be opened stands in front of the next.
    func passOver(_ record: UnsafeRawBufferPointer) {
        guard case .blocks(let blocks) = form, !blocks.hasVector else { return }
        keepChain(of: blocks, record)
    }

    // MARK: - Parts

    private func setNonce(of number: UInt64) {
        for index in 0..<4 { scratch[index] = vector[index] }
        for index in 0..<8 {
            scratch[4 + index] =
                vector[4 + index] ^ UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * index))
        }
    }

    /// Number, type, version and length (RFC 5246, section 6.2.3.3).
    private func authenticated(
        _ record: UnsafeRawBufferPointer,
        number: UInt64,
        length: Int
    ) -> UnsafeBufferPointer<UInt8> {
        let data = scratch + 16
        for index in 0..<8 { data[index] = UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * index)) }
        for index in 0..<3 { data[8 + index] = record[index] }
        data[11] = UInt8(truncatingIfNeeded: length >> 8)
        data[12] = UInt8(truncatingIfNeeded: length)
        return UnsafeBufferPointer(start: data, count: 13)
    }

    /// Without the zeros at its end; what stands before them is the type (RFC 8446, section 5.4).
    private func content(_ output: UnsafeMutableRawPointer, length: Int) -> Opened {
        var end = length
        while end > 0 {
            let type = output.load(fromByteOffset: end - 1, as: UInt8.self)
            if type != 0 { return Opened(type: type, length: end - 1) }
            end -= 1
        }
        return Opened(type: 0, length: 0)
    }

    private func open(
        _ blocks: Blocks,
        _ record: UnsafeRawBufferPointer,
        _ fragment: UnsafeRawBufferPointer,
        _ number: UInt64,
        _ output: UnsafeMutableRawPointer
    ) -> Opened? {
        let size = blocks.cipher.blockSize
        let first = blocks.hasVector ? size : 0
        let end = blocks.encryptsFirst ? fragment.count - blocks.codeSize : fragment.count
        guard end >= first + size, (end - first) % size == 0 else { return nil }
        if blocks.encryptsFirst {
            let head = authenticated(record, number: number, length: end)
            let code = UnsafeRawBufferPointer(rebasing: fragment[end...])
            let body = UnsafeRawBufferPointer(rebasing: fragment[..<end])
            guard blocks.authenticator.verifies(code, head: head, body: body) else { return nil }
        }
        let ciphertext = UnsafeRawBufferPointer(rebasing: fragment[first..<end])
        let isDecrypted =
            if blocks.hasVector, let start = fragment.baseAddress {
                blocks.cipher.decrypt(ciphertext, vector: start, into: output)
            } else {
                chain.withUnsafeBytes { chain in
                    chain.baseAddress.map { blocks.cipher.decrypt(ciphertext, vector: $0, into: output) }
                        ?? false
                }
            }
        guard isDecrypted else { return nil }
        let text = UnsafeRawBufferPointer(start: output, count: ciphertext.count)
        let padding = text[text.count - 1]
        let code = blocks.encryptsFirst ? 0 : blocks.codeSize
        let length = text.count - 1 - Int(padding) - code
        guard length >= 0, text[(length + code)...].allSatisfy({ $0 == padding }) else { return nil }
        if !blocks.encryptsFirst {
            let head = authenticated(record, number: number, length: length)
            guard
                blocks.authenticator.verifies(
                    UnsafeRawBufferPointer(rebasing: text[length..<(length + code)]),
                    head: head,
                    body: UnsafeRawBufferPointer(rebasing: text[..<length])
                )
            else { return nil }
        }
        if !blocks.hasVector { keepChain(of: blocks, record) }
        return Opened(type: record[0], length: length)
    }

    private func keepChain(of blocks: Blocks, _ record: UnsafeRawBufferPointer) {
        let end = record.count - (blocks.encryptsFirst ? blocks.codeSize : 0)
        guard end - blocks.cipher.blockSize >= TLSRecordHeader.size else { return }
        chain = Array(record[(end - blocks.cipher.blockSize)..<end])
    }
}
