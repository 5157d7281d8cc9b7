import LibCrypto
import Proxy

/// The authority of one recording, and where its certificate is for others to trust it.
struct RecordingAuthority {
    let authority: CertificateAuthority
    let certificatePath: String
    /// How clients are brought to trust it.
    let clientTrust: ClientTrust
    /// What ends with the recording; nil where the authority is the lasting one.
    private let folder: RunFolder?

    /// Opens the lasting authority, or makes one for a scope.
    ///
    /// - Parameters:
    ///   - scope: nil for all servers.
    ///   - lasting: where the lasting one lives.
    /// - Throws: ``CommandFailure``.
    init(scope: CertificateScope?, lasting: AuthorityOptions) throws {
        guard let scope else {
            let (files, authority) = try lasting.open()
            self.authority = authority
            certificatePath = files.certificatePath
            clientTrust = ClientTrust(
                certificatePath: files.certificatePath,
                trustCommand: ["ca", "trust"] + (lasting.folder.map { ["--ca-dir", $0] } ?? [])
            )
            folder = nil
            return
        }
        do throws(OpenSSLError) {
            authority = try CertificateAuthority(scope: scope, now: SystemClock.now)
        } catch {
            throw CommandFailure(.bug, "\(error)")
        }
        let folder = try RunFolder()
        self.folder = folder
        do {
            // Only the certificate: the key is in no file.
            certificatePath = try folder.write(
                authority.certificate.pem.utf8,
                to: "authreel-ca.pem",
                isPublic: true
            )
            clientTrust = ClientTrust(certificatePath: certificatePath, trustCommand: nil)
        } catch {
            folder.remove()
            throw error
        }
    }

    /// Tells of an authority that only this recording has, and of what is to be trusted.
    ///
    /// `startsClients`: whether the clients that the recording itself starts are all that need it.
    func announce(startsClients: Bool) {
        guard let scope = authority.scope else {
            if !startsClients { StandardError.note("clients have to trust \(certificatePath)") }
            return
        }
        StandardError.note(
            "made a certificate authority for this recording only, good for \(scope); "
                + "TLS with other hosts is passed on unread"
        )
        let who = startsClients ? "other clients" : "clients"
        StandardError.note("\(who) have to trust \(certificatePath), which ends with the recording")
    }

    /// Removes what was made for the recording.
    func end() { folder?.remove() }
}
