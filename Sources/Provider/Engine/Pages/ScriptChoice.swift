import Captures
import Flows
import OAuth

/// Which recorded way through the provider's pages a login may go, or a logout.
struct ScriptChoice {
    /// Of the recording.
    let clientID: String
    /// Whether nobody is to be asked.
    let isSilent: Bool
    private let login: PendingLogin
    private let scripts: [InteractionScript]
    private let addresses: AddressMap

    init(_ login: PendingLogin, _ clientID: String, _ dialect: ProviderDialect) {
        self.login = login
        self.clientID = clientID
        isSilent = login.prompt.contains("none")
        scripts = dialect.scripts
        addresses = dialect.addresses
    }

    /// Whether the client went any.
    var hasOwn: Bool { !fitting.own.isEmpty }

    /// The n-th that the client went, from 0 on; when all are through, the last again.
    func own(_ number: Int) -> Int? {
        let own = fitting.own
        return own.isEmpty ? nil : own[min(number, own.count - 1)]
    }

    /// The one that fits best; nil where none does.
    var best: Int? {
        let (all, own) = fitting
        let usable = own.filter(isUsable)
        // The pages of other clients are the same provider's.
        return fittest(usable.isEmpty && !isSilent ? all.filter(isUsable) : usable)
    }

    /// The recorded answer to a browser that was known, which may have brought cookies of its own; nil where none is recorded.
    var ofKnown: Int? {
        fittest(
            scripts.indices.filter { index in
                let script = scripts[index]
                return script.purpose == .login && script.clientID == clientID && script.hadSession
                    && script.error == nil && script.answersAtOnce(isKnown: true)
                    && script.isSilent == isSilent
            }
        )
    }

    /// That of a logout; nil where none is recorded that goes where this one does.
    ///
    /// `method`: a page that asks may send the whole request once more, with the user's word.
    static func ofLogout(hasTarget: Bool, method: String, in scripts: [InteractionScript]) -> Int? {
        let all = scripts.indices.filter { scripts[$0].purpose == .logout }
        let fitting = all.filter { index in
            let named = scripts[index].parameters.items.contains {
                LogoutCourse.targetNames.contains($0.name)
            }
            return named == hasTarget
        }
        return fitting.first { scripts[$0].steps.first?.method == method } ?? fitting.first
            ?? (hasTarget ? nil : all.first)
    }

    private var fitting: (all: [Int], own: [Int]) {
        let all = scripts.indices.filter { index in
            let script = scripts[index]
            return script.purpose == .login && !script.steps.isEmpty && script.isSilent == isSilent
        }
        return (all, all.filter { scripts[$0].clientID == clientID })
    }

    private func isUsable(_ index: Int) -> Bool {
        let script = scripts[index]
        return script.succeeds && !(script.hadSession && script.steps[0].delivery != nil)
            || script.error == nil
                && script.steps.contains { $0.credentials?.password != nil && !$0.isFailedSignIn }
    }

    /// Among equals the first.
    private func fittest(_ indices: [Int]) -> Int? {
        indices.max { left, right in
            (fitness(scripts[left]), -left) < (fitness(scripts[right]), -right)
        }
    }

    private func fitness(_ script: InteractionScript) -> Int {
        let names = [
            "response_type", "response_mode", "prompt", "acr_values", "redirect_uri", "scope", "login_hint",
        ]
        let same = names.count { name in
            script.parameters[name] == login.parameters[name]
        }
        // Another endpoint is another journey of the user (policies of Azure AD B2C); a page to sign in at counts more than any likeness.
        return same + (isOfEndpoint(script) ? names.count + 1 : 0) + (script.succeeds ? 20 : 0)
            + (script.answersAtOnce ? 0 : 10)
    }

    /// Whether a script began at the endpoint that a request came to.
    private func isOfEndpoint(_ script: InteractionScript) -> Bool {
        guard let first = script.steps.first?.url,
            let endpoint = login.endpoint.flatMap(addresses.recorded)
        else { return false }
        return EndpointAddress(RecordedURL(endpoint)).takes(EndpointAddress(first))
    }
}
