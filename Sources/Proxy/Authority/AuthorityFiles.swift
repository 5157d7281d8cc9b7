package import Captures
internal import LibCrypto

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Where the authority lives: a folder with its certificate (`ca.pem`) and its key (`ca.key`).
///
/// The folder has mode 0700, the key 0600. Several processes may use it at once: a lock on the folder makes
/// the first of them make the authority and the others find it; files appear whole or not at all.
package struct AuthorityFiles: Sendable, Hashable {
    package let folder: String

    package init(folder: String) { self.folder = folder }

    /// The certificate that clients have to trust.
    package var certificatePath: String { folder + "/ca.pem" }

    var keyPath: String { folder + "/ca.key" }

    /// The authority of the folder; made, with the folder, where there is none or it is no longer valid.
    ///
    /// - Parameter now: decides whether it is valid.
    /// - Returns: the authority, and whether it is new, so that no client can trust it yet.
    /// - Throws: ``ProxyError/authority(path:reason:)``.
    package func load(now: Timestamp) throws(ProxyError) -> (authority: CertificateAuthority, isNew: Bool) {
        try makeFolder()
        let lock = try lockFolder()
        defer { close(lock) }
        if let existing = try readAuthority(), existing.remaining(at: now) > .zero {
            return (existing, false)
        }
        return (try make(now: now), true)
    }

    /// Makes a new authority in place of the one that may be there.
    ///
    /// - Parameter now: the beginning of its validity, less a day.
    /// - Returns: the new one.
    /// - Throws: ``ProxyError/authority(path:reason:)``.
    package func rotate(now: Timestamp) throws(ProxyError) -> CertificateAuthority {
        try makeFolder()
        let lock = try lockFolder()
        defer { close(lock) }
        return try make(now: now)
    }

    // MARK: -

    private func make(now: Timestamp) throws(ProxyError) -> CertificateAuthority {
        let made: (CertificateAuthority, PrivateKey)
        do throws(OpenSSLError) {
            made = try CertificateAuthority.make(now: now)
        } catch {
            throw .authority(path: folder, reason: error.description)
        }
        // The key first: a certificate without its key would be exported and trusted in vain.
        try replace(keyPath, with: Array(made.1.pem.utf8), mode: 0o600)
        try replace(certificatePath, with: Array(made.0.certificate.pem.utf8), mode: 0o644)
        return made.0
    }

    /// Nil where one of the files is missing, or where they do not belong together (a crash between the two
    /// writes).
    private func readAuthority() throws(ProxyError) -> CertificateAuthority? {
        guard let keyBytes = try contents(of: keyPath),
            let certificateBytes = try contents(of: certificatePath)
        else {
            return nil
        }
        // It may have been copied here by hand.
        chmod(keyPath, 0o600)
        let key: PrivateKey
        do throws(OpenSSLError) {
            key = try PrivateKey(pem: String(decoding: keyBytes, as: UTF8.self))
        } catch {
            throw .authority(path: keyPath, reason: error.description)
        }
        do throws(OpenSSLError) {
            guard let certificate = try Certificate.all(pem: certificateBytes).first else {
                throw OpenSSLError(what: "holds no certificate", reason: "")
            }
            guard certificate.belongs(to: key) else { return nil }
            return try CertificateAuthority(certificate: certificate, key: key)
        } catch {
            throw .authority(path: certificatePath, reason: error.description)
        }
    }

    private func makeFolder() throws(ProxyError) {
        var path = ""
        for part in folder.split(separator: "/", omittingEmptySubsequences: false) {
            path += path.isEmpty && part.isEmpty ? "" : String(part)
            if !path.isEmpty, mkdir(path, 0o700) != 0, errno != EEXIST, errno != EROFS, errno != EACCES {
                throw failure(path)
            }
            path += "/"
        }
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

    private func replace(_ path: String, with bytes: [UInt8], mode: mode_t) throws(ProxyError) {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failure(temporary) }
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        let isComplete = written == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isComplete, rename(temporary, path) == 0 else {
            defer { unlink(temporary) }
            throw failure(path)
        }
    }

    /// Nil where there is no such file.
    private func contents(of path: String) throws(ProxyError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(path)
        }
        defer { close(descriptor) }
        // Both files have about a kilobyte.
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw failure(path) }
        return Array(bytes.prefix(count))
    }

    private func failure(_ path: String) -> ProxyError {
        .authority(path: path, reason: String(cString: strerror(errno)))
    }
}
