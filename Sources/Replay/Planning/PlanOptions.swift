/// What whoever replays a flow says of the plan.
package struct PlanOptions: Sendable {
    /// Hosts that may be contacted besides the provider's, `HOST` or `HOST:PORT`.
    ///
    /// With the app's host among them the app plays its own part, and only the browser is played.
    package var allowedHosts: [String]
    /// Parameters that are sent with another value, by name or `step_kind.name`; an empty value leaves the
    /// parameter out.
    package var overrides: [String: String]
    /// Stand-ins of a shared capture are sent as if they were its secrets: whoever plays the provider has them, too.
    package var sendsStandIns: Bool

    package init(
        allowedHosts: [String] = [],
        overrides: [String: String] = [:],
        sendsStandIns: Bool = false
    ) {
        self.allowedHosts = allowedHosts
        self.overrides = overrides
        self.sendsStandIns = sendsStandIns
    }

    func allows(_ origin: String, host: String?) -> Bool {
        guard let host else { return false }
        let withPort = origin.split(separator: "/").last.map(String.init) ?? host
        return allowedHosts.contains { $0.lowercased() == host || $0.lowercased() == withPort }
    }
}
