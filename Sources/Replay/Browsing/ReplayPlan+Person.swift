import Captures
import Flows
import JSON

extension ReplayPlan {
    /// The secrets that have to be known although somebody signs in by hand: those that the app or its server sends.
    package var secretsBesidesThePersons: [SecretNeed] {
        secrets.filter { need in
            need.name == SecretNames.clientKey || need.name == SecretNames.clientSecret
                || steps.contains { step in
                    !step.isBrowser
                        && step.parameters.contains { parameter in
                            if case .secret(need.name, _) = parameter.source { true } else { false }
                        }
                }
        }
    }

    /// Who signed in, as the recording has it: typed on a page, else sent by the client for the user (RFC 6749, section
    /// 4.3.2); nil where it has nobody, or a stand-in.
    package var recordedUsername: String? {
        var typed: String?
        var isBesidePassword = false
        var sent: String?
        for step in recordedPages + steps {
            let named = step.parameters.filter { $0.source == .literal && !$0.value.isEmpty }
            switch step.kind {
            case nil, .userInteraction:
                let name = named.first {
                    SignIn.names.contains($0.name.lowercased()) && !SignIn.isTyped($0)
                }
                let hasPassword = step.parameters.contains(where: SignIn.isTyped)
                // The last try counts, and what is called so on other pages may be something else.
                guard let name, hasPassword || !isBesidePassword else { continue }
                typed = name.value
                isBesidePassword = hasPassword
            case .tokenRequest: sent = named.first { $0.name == SecretNames.username }?.value ?? sent
            default: continue
            }
        }
        return typed ?? sent
    }

    /// Whether a parameter says who signed in: a name that is given goes in its place.
    package func namesUser(_ parameter: PlannedParameter) -> Bool {
        guard parameter.source == .literal,
            parameter.name == "login_hint" || SignIn.names.contains(parameter.name.lowercased())
        else { return false }
        return parameter.value.equalsBytes(of: recordedUsername)
    }

    /// Whether it may be somebody else who signs in than in the recording: one is named there by a stand-in, or another
    /// name is given.
    package func isOfAnotherUser(_ given: GivenValues) -> Bool {
        let isAsked = (recordedPages + steps).contains { step in
            step.parameters.contains { $0.source == .secret(SecretNames.username, isRecorded: false) }
        }
        guard !isAsked else { return true }
        guard let name = given.username else { return false }
        return !name.equalsBytes(of: recordedUsername)
    }
}
