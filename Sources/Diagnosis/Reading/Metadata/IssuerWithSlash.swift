import Flows
import JSON
import OAuth

/// Metadata whose issuer is but for a slash at the end the server that a resource's own metadata name, where the client stopped.
///
/// A note: most clients do not mind the slash, and nobody says that this one did.
enum IssuerWithSlash {
    static func violation(in flow: Flow) -> Violation? {
        guard flow.authorizationRequests.isEmpty, flow.registrations.isEmpty else { return nil }
        // One resource has one document, and a file may have thousands.
        let resources = flow.resourceMetadata.filter(\.isUsable).suffix(20).map {
            (document: $0, servers: Array($0.authorizationServers.prefix(20)))
        }
        for document in flow.serverMetadata.suffix(50)
        where document.isUsable && !flow.wentOn(after: document) {
            guard let named = document.answer.parameters.parameter("issuer") else { continue }
            let isOther = { (server: String) in
                named.value.equalsBytes(of: server + "/") || server.equalsBytes(of: named.value + "/")
            }
            guard !resources.contains(where: { $0.servers.contains(bytesOf: named.value) }),
                let (resource, server) = resources.reversed().lazy.compactMap({ resource in
                    resource.servers.first(where: isOther).map { (resource.document, $0) }
                }).first
            else { continue }
            return Violation(
                [
                    Evidence(
                        place: resource.answer.place("authorization_servers"),
                        value: Masking.shown(server, of: "issuer")
                    ),
                    Evidence(named, note: Difference.note(expected: server, seen: named.value)),
                ],
                severity: .note,
                explanation: """
                    The resource names its authorization server in one spelling and the server names itself in another, a slash at the end apart. Clients \
                    compare the two to the letter (RFC 8414, section 3.3), as newer ones of MCP do, and this one asked the server for nothing more.
                    """,
                fix: """
                    Write the issuer in the resource's authorization_servers exactly as the server's metadata do. Look at what reads and writes URLs on the \
                    way: some libraries add a slash where an address has no path.
                    """,
                exchange: document.exchange
            )
        }
        return nil
    }
}
