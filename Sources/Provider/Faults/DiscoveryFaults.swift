import Captures
import JSON
import OAuth

/// Metadata and key sets that are missing, wrong or too open (OpenID Connect Discovery, section 4; RFC 8414; RFC 7517).
enum DiscoveryFaults {
    static let list: [Fault] = unreadable + wrong + keys

    private static func metadata(
        _ id: String,
        _ summary: String,
        needs need: Fault.Need? = nil,
        _ change: @escaping @Sendable (inout BuiltAnswer) -> Void
    ) -> Fault {
        Fault(
            id,
            summary,
            of: [.metadata],
            needs: need,
            .answer { answer, context in if context.isMetadata { change(&answer) } }
        )
    }

    private static func keySet(
        _ id: String,
        _ summary: String,
        _ change: @escaping @Sendable (inout BuiltAnswer) -> Void
    ) -> Fault {
        Fault(
            id,
            summary,
            of: [.keySet],
            .answer { answer, context in if context.role == .keys { change(&answer) } }
        )
    }

    private static let unreadable = [
        metadata("discovery-unreachable", "The metadata are not there: 404.") {
            $0.fail(404, "not_found", "there is no document at this address")
        },
        metadata("discovery-unreachable:500", "The metadata cannot be read: 500.") {
            $0.becomePage(500, "Internal server error")
        },
        metadata("discovery-not-json:html", "A page stands where the metadata should be.") {
            $0.becomePage(200, "Welcome")
        },
        Fault(
            "discovery-not-json:truncated",
            "The metadata end in the middle.",
            of: [.metadata],
            .response { response, context in if context.isMetadata { response.truncateBody() } }
        ),
    ]

    private static let wrong =
        [
            Fault(
                "discovery-issuer-mismatch",
                "The provider calls itself by another issuer, in the metadata and in whatever it issues.",
                of: AnswerKind.firstTokens.union([.metadata, .authorizationResponse, .refreshResponse]),
                .answer { answer, context in
                    let other = JSONValue.string(IDTokenFaults.otherIssuer)
                    if context.isMetadata { answer.alterObject { $0["issuer"] = other } }
                    answer.alterParameters {
                        if $0.contains(where: { $0.name == "iss" }) { $0.set("iss", other) }
                    }
                    answer.alterIDToken { $0.claims["iss"] = other }
                }
            )
        ]
        + [Endpoints.Role.authorization, .token, .keys].map { role in
            metadata("discovery-missing-endpoint:\(role.rawValue)", "The metadata have no \(role.rawValue).")
            {
                $0.alterObject { $0[role.rawValue] = nil }
            }
        } + [
            metadata(
                "discovery-endpoint-insecure",
                "The metadata name the endpoints by http, not by https.",
                needs: .init("endpoints by https: --tls makes them so")
            ) {
                $0.alterObject { document in
                    for role in Endpoints.Role.allCases {
                        guard let url = document[role.rawValue]?.string, url.hasPrefix("https:") else {
                            continue
                        }
                        document[role.rawValue] = .string("http" + url.dropFirst(5))
                    }
                }
            }
        ]

    private static let keys = [
        keySet("jwks-unreachable", "The key set is not there: 404.") {
            $0.fail(404, "not_found", "there is no document at this address")
        },
        keySet("jwks-unreachable:html", "A page stands where the key set should be.") {
            $0.becomePage(200, "Welcome")
        },
        // The real one: libraries that find another refuse the key for that.
        Fault(
            "jwks-private-key-exposed",
            "The key set shows a private member (d) of each key.",
            of: [.keySet],
            .answer { answer, context in
                guard context.role == .keys else { return }
                answer.alterObject { document in
                    let keys = document["keys"]?.array ?? []
                    document["keys"] = .array(
                        keys.map { key in
                            guard var members = key.object, let id = members["kid"]?.string else {
                                return key
                            }
                            members["d"] = context.privateMembers[id].map { .string($0) }
                            return .object(members)
                        }
                    )
                }
            }
        ),
    ]
}
