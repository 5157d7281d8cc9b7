import JSON
import Provider
import Reports

/// What is said of a provider that is played, before anybody speaks to it.
struct PlayedProviderText {
    let played: PlayedProvider
    /// `HOST:PORT`.
    let listening: String
    /// The file of the authority that signed its certificate; nil where it speaks no TLS.
    let certificate: String?
    /// How it is broken on purpose.
    let faults: [Fault]
    /// How it was broken when it was recorded.
    let recorded: RecordedFaults

    /// For people, a line for each thing that a client has to be set up with.
    func tell() {
        for issuer in played.issuers {
            let origin = issuer.recorded.map { " plays \($0.printable)" } ?? ", a provider for development"
            StandardError.note("\(issuer.identifier.printable)\(origin)")
            StandardError.line("  discovery   \(issuer.discovery.printable)")
            for client in issuer.clients { StandardError.line("  client      \(Self.line(client))") }
            for user in issuer.users {
                // One that somebody really has is not for everybody who looks at the screen.
                let known =
                    issuer.recorded == nil
                    ? "password \(user.password.printable)"
                    : user.isPasswordGiven ? "the given password" : "the recorded password"
                let password = user.acceptsAnyPassword ? "any password" : known
                StandardError.line("  user        \(user.name.printable), \(password)")
            }
            for remark in issuer.remarks { StandardError.line("  note        \(remark.printable)") }
        }
        for host in played.hosts {
            StandardError.line("  host        \(host.recorded.printable) is at \(host.played.printable)")
        }
        if let certificate {
            StandardError.line("  certificate \(certificate.printable) is what clients have to trust")
            let record = Invocation.command("record", "--upstream-ca", certificate)
            StandardError.line("  to record   \(record) … trusts it, too")
        }
        for line in faults.flatMap(Self.lines(of:)) { StandardError.line(line) }
        for fault in recorded.faults {
            StandardError.line("  as recorded \(fault.id): \(fault.summary)")
        }
        for remark in recorded.remarks { StandardError.line("  note        \(remark)") }
        StandardError.line("listening on \(listening)")
    }

    /// What is wrong, and what a login has to have to meet it: without that nothing is.
    static func lines(of fault: Fault) -> [String] {
        ["  fault       \(fault.id): \(fault.summary)"]
            + (fault.occasion.map { ["  needs       \($0)"] } ?? [])
    }

    /// `shop, a secret, redirect URI https://shop.example/callback`.
    static func line(_ client: ProviderConfiguration.Client) -> String {
        var parts = [client.id.printable]
        if client.acceptsAnySecret {
            parts.append("any secret")
        } else {
            parts.append(client.secret == nil ? "no secret" : "its recorded or given secret")
        }
        if !client.authenticationMethods.isEmpty {
            parts.append(client.authenticationMethods.joined(separator: ", "))
        }
        let uris = client.redirectURIs.map(\.printable)
        let others = client.acceptsLocalRedirects ? "any redirect URI on this machine" : "no redirect URI"
        parts.append(uris.isEmpty ? others : uris.joined(separator: ", "))
        return parts.joined(separator: " · ")
    }

    /// For programs.
    var json: JSONValue {
        func value(_ issuer: PlayedProvider.Issuer) -> JSONObject {
            let clients = issuer.clients.map { client -> JSONValue in
                [
                    "client_id": .string(client.id),
                    "redirect_uris": .array(client.redirectURIs.map { .string($0) }),
                    "token_endpoint_auth_methods": .array(client.authenticationMethods.map { .string($0) }),
                ]
            }
            let users = issuer.users.map { user -> JSONValue in
                ["name": .string(user.name), "sub": .string(user.subject)]
            }
            var object: JSONObject = [
                "issuer": .string(issuer.identifier), "discovery": .string(issuer.discovery),
                "clients": .array(clients), "users": .array(users),
            ]
            if let recorded = issuer.recorded { object["recorded"] = .string(recorded) }
            return object
        }
        let first = played.issuers.first.map(value) ?? JSONObject()
        let hosts = played.hosts.map { host -> JSONValue in
            ["recorded": .string(host.recorded), "played": .string(host.played)]
        }
        return .object(
            JSONObject(
                first.members + [
                    .init(name: "version", value: JSONValue(Report.version)),
                    .init(name: "listening", value: .string(listening)),
                    .init(name: "issuers", value: .array(played.issuers.map { .object(value($0)) })),
                    .init(name: "hosts", value: .array(hosts)),
                ] + (certificate.map { [.init(name: "certificate", value: .string($0))] } ?? [])
            )
        )
    }
}
