import Captures
import Flows
import JOSE

/// Lists the secrets of a plan, each once, in the order in which they are met.
enum SecretNeeds {
    static func of(_ steps: [PlannedStep], in flow: Flow, options: PlanOptions) -> [SecretNeed] {
        var needs: [SecretNeed] = []
        func add(
            _ name: String,
            _ purpose: String,
            _ isRecorded: Bool,
            _ algorithm: SignatureAlgorithm? = nil
        ) {
            if let index = needs.firstIndex(where: { $0.name == name }) {
                needs[index].isRecorded = needs[index].isRecorded && isRecorded
            } else {
                needs.append(
                    SecretNeed(name: name, purpose: purpose, isRecorded: isRecorded, algorithm: algorithm)
                )
            }
        }
        for step in steps {
            for parameter in step.parameters {
                switch parameter.source {
                case .secret(let name, let isRecorded):
                    add(name, purpose(of: name, step.kind), isRecorded)
                case .generated(.clientAssertion), .generated(.requestObject):
                    guard
                        let algorithm = JSONWebToken.parse(parameter.value)?.algorithm.flatMap(
                            SignatureAlgorithm.init(rawValue:)
                        )
                    else { continue }
                    let what = parameter.name == "request" ? "request objects" : "client assertions"
                    if algorithm.isSymmetric {
                        add(
                            SecretNames.clientSecret,
                            "signs \(what) (\(algorithm.rawValue))",
                            isSecretKnown(flow, options)
                        )
                    } else {
                        add(SecretNames.clientKey, "signs \(what) (\(algorithm.rawValue))", false, algorithm)
                    }
                default: continue
                }
            }
        }
        return needs
    }

    private static func isSecretKnown(_ flow: Flow, _ options: PlanOptions) -> Bool {
        let isStandIn = flow.capture.redaction?.concerns(SecretNames.clientSecret) ?? false
        return (!isStandIn || options.sendsStandIns)
            && flow.clientID.map { flow.surroundings.knownSecrets[$0] != nil } ?? false
    }

    private static func purpose(of name: String, _ kind: StepKind?) -> String {
        switch name {
        case SecretNames.clientSecret: "authenticates the client"
        case "refresh_token", "access_token", "id_token_hint", "subject_token":
            "was issued before the recording began"
        default:
            kind == .tokenRequest ? "of the user, sent by the client" : "typed by the person who signs in"
        }
    }
}
