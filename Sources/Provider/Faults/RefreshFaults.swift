import JSON
import OAuth

/// What a refresh answers (RFC 6749, section 6; OpenID Connect Core, section 12.2).
enum RefreshFaults {
    static let list: [Fault] = [
        Fault(
            "refresh-token-expired",
            "Every refresh token has run out.",
            of: [.refreshResponse],
            .answer { answer, context in
                guard context.isRefresh else { return }
                answer.fail(400, "invalid_grant", "the refresh token has expired")
            }
        ),
        subjectChanged("sub", .string("another-user"), "The refreshed ID token is about another user."),
        subjectChanged(
            "iss",
            .string(IDTokenFaults.otherIssuer),
            "The refreshed ID token is of another issuer."
        ),
        subjectChanged(
            "aud",
            .string(IDTokenFaults.otherClient),
            "The refreshed ID token is for another client."
        ),
    ]

    private static func subjectChanged(_ claim: String, _ value: JSONValue, _ summary: String) -> Fault {
        Fault(
            "refresh-subject-changed:\(claim)",
            summary,
            of: [.refreshResponse],
            needs: .refreshedIDToken,
            mustBeRejected: true,
            .answer { answer, context in
                if context.isRefresh { answer.alterIDToken { $0.claims[claim] = value } }
            }
        )
    }
}

extension Fault.Need {
    fileprivate static let refreshedIDToken = Fault.Need("refresh that brings an ID token") {
        $0.hasIDToken
    }
}
