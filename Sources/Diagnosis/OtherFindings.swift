import Flows

/// The findings that a rule gives way to: where one of them tells of the same, and why, it holds or says less.
///
/// What is asked is a verdict, and no fact: a rule that gives way has to speak where the other one abstains, or holds for a reason of its
/// own, for then nobody else does. What can go by facts that both rules read needs none of this, and is a reading. ``Precedence`` is for
/// findings that stand beside one another. Read as a whole, as its table is.
struct OtherFindings: Sendable {
    private let rules: [any Rule]

    private init(of rules: [any Rule]) { self.rules = rules }

    /// Whether one of these rules finds something that counts.
    func tell(of flow: Flow, where counts: (Violation) -> Bool = { _ in true }) -> Bool {
        rules.contains { flow.violation(of: $0).map(counts) ?? false }
    }

    /// The same where it finds the fault at this very exchange, there first or once more.
    func tell(of exchange: Int, in flow: Flow, where counts: (Violation) -> Bool = { _ in true }) -> Bool {
        tell(of: flow) { $0.isFound(at: exchange) && counts($0) }
    }

    /// In the order of the rules.
    func violations(in flow: Flow) -> [Violation] { rules.compactMap { flow.violation(of: $0) } }
}

// MARK: - By what they tell of

extension OtherFindings {
    /// Of what was registered: the request itself is wrong then, whatever its refusal says, which restates it.
    static let registrations = OtherFindings(of: RegistrationRules.list)

    /// Of a refused request of a login, for a refusal that tells what was answered where none of these knows why.
    static let refusedRequests = OtherFindings(of: ofRequests)

    /// Of a device's request, which is refused at an endpoint of its own.
    static let refusedDevices = OtherFindings(of: ofRequests + [UnsupportedGrantType()])

    /// Of a logout.
    static let logouts = OtherFindings(of: LogoutAndDeviceRules.list)

    /// Of a refused token request, other than its grant: what is called unauthorized is the grant only where none of these tells of more.
    static let tokenRequests = OtherFindings(
        of: TokenRequestRules.list.filter {
            !($0 is UnsupportedGrantType) && !type(of: $0).info.isSymptom
        }
    )

    /// Of an ID token that a client has to refuse, for a callback whose refusal says no more than that: a whole stage, for it is told by
    /// whichever of its rules looks at what is wrong.
    static let refusedIDTokens = OtherFindings(
        of: IDTokenRules.list.filter { rule in
            switch type(of: rule).info.severity {
            case .warning, .note: false
            case .error, .errorWhenRefused: true
            }
        }
    )

    /// Of an ID token that is wrong in what a client looks at that does not mind the issuer, or that could not be verified: told as errors,
    /// they are why the login ended.
    static let idTokensOfAnyIssuer = OtherFindings(of: [
        IDTokenAudienceMismatch(), IDTokenExpired(), IDTokenNonceMismatch(), IDTokenNonceMissing(),
        IDTokenSignatureInvalid(), IDTokenKidUnknown(), JWKSUnreachable(),
    ])

    /// Of a refused access token, for a refusal that is told by itself where none of these knows why.
    static let refusedTokens = OtherFindings(of: [
        AccessTokenWrongKind(), AudienceMismatch(), APIAudienceNotRequested(),
        AccessTokenIssuerMismatch(), InsufficientScope(),
    ])

    /// Of a call by which an app's server looks at a new token: where none of these tells of it, the app's own refusal has to be told.
    static let refusedCalls = OtherFindings(of: [BearerRejected(), InsufficientScope(), TokenInvalidClient()])

    private static let ofRequests: [any Rule] =
        RegistrationRules.list + AuthorizationRequestRules.list + UserAgentRules.list
        + [
            UserCancelled(), AccessDeniedByPolicy(), ProviderServerError(), ClientTypeMismatch(),
        ]
        + ProviderSpecificRules.list
}
