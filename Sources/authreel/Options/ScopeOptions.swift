import ArgumentParser
import Proxy

/// For which servers a recording may make certificates.
struct ScopeOptions: ParsableArguments {
    @Option(
        name: .customLong("ca-scope"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Use a certificate authority for this recording only, good for this host alone. Repeatable.",
            discussion: """
                A name, *.example.com for all below it, an address, or a range like 10.0.0.0/8. The authority of --ca-dir \
                is not used; the key of this one is kept in memory and ends with the recording. TLS with other hosts is \
                passed on unread.
                """,
            valueName: "HOST"
        )
    )
    var hosts: [String] = []

    /// The scope that was asked for.
    ///
    /// - Parameter proxy: what is to be opened and played, which has to be in it.
    /// - Returns: nil where there is none.
    /// - Throws: ``CommandFailure`` for what cannot be understood, or would come to nothing.
    func scope(for proxy: ProxyOptions) throws -> CertificateScope? {
        guard !hosts.isEmpty else { return nil }
        let scope: CertificateScope
        do throws(CertificateScopeError) {
            scope = try CertificateScope(hosts)
        } catch {
            throw CommandFailure(
                .usage,
                "--ca-scope: \(error)",
                hint: "--ca-scope takes a host without scheme and port: --ca-scope idp.example, "
                    + "--ca-scope '*.example.com', --ca-scope 127.0.0.1, --ca-scope 10.0.0.0/8"
            )
        }
        if let outside = proxy.only.first(where: { !scope.overlaps(HostPattern($0)) }) {
            throw CommandFailure(
                .usage,
                "--only \(outside) is outside of --ca-scope \(scope): nothing of it could be opened",
                hint: "add --ca-scope '\(outside)', or leave out --only \(outside)"
            )
        }
        for text in proxy.reverse {
            guard let played = try? ReverseOrigin(text), played.scheme == .https,
                !scope.contains(played.host), !scope.contains(played.listeningHost)
            else { continue }
            throw CommandFailure(
                .usage,
                "--reverse \(text) is outside of --ca-scope \(scope): no client would accept its certificate",
                hint: "add the name by which clients call it: --ca-scope \(played.host), "
                    + "or --ca-scope \(played.listeningHost)"
            )
        }
        return scope
    }
}
