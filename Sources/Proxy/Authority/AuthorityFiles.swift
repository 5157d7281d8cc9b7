package import Captures
package import LibCrypto

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Where the authority lives: a folder with its certificate (`ca.pem`) and its key (`ca.key`).
///
/// The folder has mode 0700, the key 0600; a folder or key of another user is refused. Several processes may use
/// it at once: a lock on the folder makes the first of them make the authority and the others find it; files
/// appear whole or not at all. Beside the two stands what is remembered of changed trust stores (`trusted.json`,
/// and copies of keystores) as long as there is any.
package struct AuthorityFiles: Sendable, Hashable {
    package let folder: String

    package init(folder: String) { self.folder = folder }

    /// The certificate that clients have to trust.
    package var certificatePath: String { folder + "/ca.pem" }

    var keyPath: String { folder + "/ca.key" }

    private var recordsPath: String { folder + "/trusted.json" }

    func path(ofBackup backup: TrustRecord.KeystoreBackup) -> String { "\(folder)/\(backup.file)" }

    /// What opening the folder came to.
    package struct Loaded: Sendable {
        package var authority: CertificateAuthority
        package var origin: Origin
        /// Modes of files that were put right, and what that means.
        package var remarks: [String] = []
    }

    /// Whether the authority was there, and why not.
    package enum Origin: Sendable, Hashable {
        case found
        /// The folder had none.
        case made
        /// Made in place of one that was no longer valid.
        case madeAfterEnd(of: AuthorityIdentity, notAfter: Timestamp)
        /// Made in place of files that do not belong together, or of which one is missing.
        case madeInPlaceOfHalf(missing: String?)
    }

    /// The authority of the folder; made, with the folder, where there is none or it is no longer valid.
    ///
    /// - Parameter now: decides whether it is valid.
    /// - Returns: the authority, and where it comes from: no client can trust one yet that was not found.
    /// - Throws: ``ProxyError``, of the cases that begin with `authority`.
    package func load(now: Timestamp) throws(ProxyError) -> Loaded {
        try makeFolder()
        let lock = try lockFolder()
        defer { close(lock) }
        var remarks = try checkFolder(lock)
        let (state, more) = try readAuthority()
        remarks += more
        let origin: Origin
        switch state {
        case .whole(let existing):
            guard existing.remaining(at: now) <= .zero else {
                return Loaded(authority: existing, origin: .found, remarks: remarks)
            }
            origin = .madeAfterEnd(
                of: AuthorityIdentity(existing.certificate),
                notAfter: Timestamp(seconds: existing.certificate.notAfter)
            )
        case .none: origin = .made
        case .half(let missing): origin = .madeInPlaceOfHalf(missing: missing)
        }
        try checkReplaceable()
        return Loaded(authority: try make(now: now), origin: origin, remarks: remarks)
    }

    /// The certificate that stands in the folder, whether or not it is valid and has its key.
    ///
    /// - Returns: nil where there is none.
    /// - Throws: ``ProxyError`` when there is one that cannot be read.
    package func certificate() throws(ProxyError) -> Certificate? {
        guard let (bytes, _) = try contents(of: certificatePath) else { return nil }
        return try certificate(in: bytes)
    }

    // MARK: - What was done to trust stores

    /// What is remembered of changed stores.
    ///
    /// - Throws: ``ProxyError`` when the file is there and cannot be read.
    package func trustRecords() throws(ProxyError) -> TrustRecords {
        guard let (bytes, _) = try contents(of: recordsPath) else { return TrustRecords() }
        do throws(TrustRecordError) {
            return try TrustRecords(json: bytes)
        } catch {
            throw .trustRecords(path: recordsPath, reason: error.reason)
        }
    }

    /// Runs what changes the folder while no other process does; a folder that is missing needs no lock.
    package func whileLocked<Value>(_ body: () throws(ProxyError) -> Value) throws(ProxyError) -> Value {
        var facts = stat()
        if stat(folder, &facts) != 0, errno == ENOENT { return try body() }
        let lock = try lockFolder()
        defer { close(lock) }
        _ = try checkFolder(lock)
        return try body()
    }

    /// Remembers changed stores; the file goes when nothing is left to remember.
    ///
    /// Call it inside ``whileLocked(_:)``.
    package func remember(_ records: TrustRecords) throws(ProxyError) {
        if records.isEmpty {
            guard unlink(recordsPath) == 0 || errno == ENOENT else { throw failure(recordsPath) }
        } else {
            try replace(recordsPath, with: records.json, mode: 0o600)
        }
    }

    /// Keeps a copy of a keystore.
    package func keep(_ bytes: [UInt8], as backup: TrustRecord.KeystoreBackup) throws(ProxyError) {
        try replace(path(ofBackup: backup), with: bytes, mode: 0o600)
    }

    /// Removes a copy that no record names any longer.
    package func remove(_ backup: TrustRecord.KeystoreBackup) { unlink(path(ofBackup: backup)) }

    // MARK: - The two files

    private enum State {
        case whole(CertificateAuthority)
        /// They do not belong together (a crash between the two writes), or this one is missing.
        case half(missing: String?)
        case none
    }

    private func make(now: Timestamp) throws(ProxyError) -> CertificateAuthority {
        let made: (CertificateAuthority, PrivateKey)
        do throws(OpenSSLError) {
            made = try CertificateAuthority.make(now: now)
        } catch {
            throw .authority(path: folder, reason: error.description)
        }
        try install(made.0, key: made.1)
        return made.0
    }

    /// Puts an authority in place of the one that may be there.
    ///
    /// Call it inside ``whileLocked(_:)``.
    package func install(_ authority: CertificateAuthority, key: PrivateKey) throws(ProxyError) {
        // The key first: a certificate without its key would be exported and trusted in vain.
        try replace(keyPath, with: Array(key.pem.utf8), mode: 0o600)
        try replace(certificatePath, with: Array(authority.certificate.pem.utf8), mode: 0o644)
    }

    /// Refuses to write over what is not ours: folders of test authorities have a `ca.key` and a `ca.pem` as well.
    ///
    /// A certificate of ours names us. What has no such name beside it, as a key alone, is ours in a folder that holds nothing else.
    ///
    /// - Throws: ``ProxyError/authorityForeign(path:)``.
    package func checkReplaceable() throws(ProxyError) {
        // What cannot be read is told where it is needed.
        let certificateFile = try? contents(of: certificatePath)
        if let bytes = certificateFile?.bytes, let certificate = try? certificate(in: bytes) {
            guard CertificateAuthority.isOurs(certificate) else {
                throw .authorityForeign(path: certificatePath)
            }
            return
        }
        let keyFile = try? contents(of: keyPath)
        guard certificateFile != nil || keyFile != nil, !holdsOnlyOurs() else { return }
        throw .authorityForeign(path: certificateFile == nil ? keyPath : certificatePath)
    }

    private func readAuthority() throws(ProxyError) -> (State, remarks: [String]) {
        let keyFile = try contents(of: keyPath)
        let certificateFile = try contents(of: certificatePath)
        guard let keyFile, let certificateFile else {
            if keyFile == nil && certificateFile == nil { return (.none, []) }
            return (.half(missing: keyFile == nil ? keyPath : certificatePath), [])
        }
        var remarks: [String] = []
        if keyFile.mode & 0o077 != 0 {
            try mend(keyPath, to: 0o600)
            remarks.append(
                "\(keyPath) was open to others (mode \(octal(keyFile.mode))) and is yours alone now; "
                    + "if anybody may have read it, rotate the authority"
            )
        }
        if certificateFile.mode & 0o022 != 0 {
            try mend(certificatePath, to: 0o644)
            remarks.append(
                "\(certificatePath) could be written by others (mode \(octal(certificateFile.mode))), "
                    + "now by you alone"
            )
        }
        let certificate = try certificate(in: certificateFile.bytes)
        do throws(OpenSSLError) {
            let key = try PrivateKey(pem: String(decoding: keyFile.bytes, as: UTF8.self))
            guard certificate.belongs(to: key) else { return (.half(missing: nil), remarks) }
            return (.whole(try CertificateAuthority(certificate: certificate, key: key)), remarks)
        } catch {
            throw .authorityCorrupt(
                path: keyPath,
                reason: keyFile.bytes.isEmpty ? "the file is empty" : error.description
            )
        }
    }

    private func certificate(in bytes: [UInt8]) throws(ProxyError) -> Certificate {
        do throws(OpenSSLError) {
            guard let certificate = try Certificate.all(pem: bytes).first else {
                throw OpenSSLError(
                    what: bytes.isEmpty ? "the file is empty" : "holds no certificate",
                    reason: ""
                )
            }
            return certificate
        } catch {
            throw .authorityCorrupt(path: certificatePath, reason: error.description)
        }
    }

    // MARK: - The folder

    /// Makes the folder, and those above it, where they are missing.
    package func makeFolder() throws(ProxyError) {
        var path = ""
        // A folder that is there may refuse as well: it counts where there is none in the end.
        var denial: CInt?
        for part in folder.split(separator: "/", omittingEmptySubsequences: false) {
            path += path.isEmpty && part.isEmpty ? "" : String(part)
            if !path.isEmpty, mkdir(path, 0o700) != 0, errno != EEXIST {
                let number = errno
                guard number == EROFS || number == EACCES else {
                    throw failure(path, number == ENOENT ? denial ?? number : number)
                }
                denial = number
            }
            path += "/"
        }
        var facts = stat()
        if let denial, stat(folder, &facts) != 0 { throw failure(folder, denial) }
    }

    private func lockFolder() throws(ProxyError) -> CInt {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(folder) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                defer { close(descriptor) }
                throw failure(folder)
            }
        }
        return descriptor
    }

    /// Refuses a folder in which others could put a key of theirs in place of ours.
    ///
    /// One that holds nothing but our files is closed to others; of any other one (`/tmp`, say) the mode is not
    /// ours to change.
    private func checkFolder(_ descriptor: CInt) throws(ProxyError) -> [String] {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw failure(folder) }
        guard facts.st_uid == geteuid() else { throw .authorityOwner(path: folder, owner: facts.st_uid) }
        guard facts.st_mode & 0o022 != 0 else { return [] }
        guard holdsOnlyOurs() else { throw .authorityFolderOpen(path: folder) }
        try mend(folder, to: 0o700)
        return [
            "\(folder) could be written by others (mode \(octal(facts.st_mode))) and is yours alone now; "
                + "if anybody may have, rotate the authority"
        ]
    }

    private func holdsOnlyOurs() -> Bool {
        guard let directory = opendir(folder) else { return false }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            let isOurs =
                [".", "..", "ca.pem", "ca.key", "trusted.json"].contains(name) || name.hasPrefix("keystore-")
                || Self.isUnfinished(name)
            guard isOurs else { return false }
        }
        return true
    }

    /// What a crash leaves of a file that was being written: `ca.pem.4711`.
    private static func isUnfinished(_ name: String) -> Bool {
        ["ca.pem.", "ca.key.", "trusted.json."].contains { start in
            name.hasPrefix(start) && name.dropFirst(start.count).allSatisfy(\.isWholeNumber)
        }
    }

    private func mend(_ path: String, to mode: mode_t) throws(ProxyError) {
        guard chmod(path, mode) == 0 else { throw failure(path) }
    }

    private func octal(_ mode: mode_t) -> String { "0" + String(mode & 0o7777, radix: 8) }

    // MARK: - Bytes

    private func replace(_ path: String, with bytes: [UInt8], mode: mode_t) throws(ProxyError) {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failure(path) }
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 { break }
            done += count
        }
        let isComplete = done == bytes.count && fsync(descriptor) == 0
        let error = isComplete ? 0 : errno
        close(descriptor)
        guard isComplete, rename(temporary, path) == 0 else {
            let reason = failure(path, isComplete ? errno : error)
            unlink(temporary)
            throw reason
        }
    }

    /// Nil where there is no such file; a file of another user is refused.
    private func contents(of path: String) throws(ProxyError) -> (bytes: [UInt8], mode: mode_t)? {
        // A pipe in its place would keep us waiting.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            let reason = failure(path)
            var facts = stat()
            if stat(path, &facts) == 0, facts.st_uid != geteuid() {
                throw .authorityOwner(path: path, owner: facts.st_uid)
            }
            throw reason
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw failure(path) }
        guard facts.st_uid == geteuid() else { throw .authorityOwner(path: path, owner: facts.st_uid) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw .authorityCorrupt(path: path, reason: "is not a file")
        }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        // The two have about a kilobyte, what is remembered not much more.
        while bytes.count < 1 << 24 {
            let count = block.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw failure(path) }
            if count == 0 { break }
            bytes += block.prefix(count)
        }
        return (bytes, facts.st_mode)
    }

    private func failure(_ path: String, _ number: CInt = errno) -> ProxyError {
        .authority(path: path, reason: number.systemReason)
    }
}
