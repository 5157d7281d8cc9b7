import Flows

/// The findings that a rule asks for before it tells what it saw: where one of them tells of the same, and why, it holds or says less.
///
/// ``Precedence`` is for findings that stand beside one another. Read as a whole, as its table is; what can go by facts that both rules
/// read needs none of this.
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
    /// Of what was registered: the request itself is wrong then, whatever its refusal says.
    static let registrations = OtherFindings(of: RegistrationRules.list)

    /// Of a refused request of a login.
    static let refusedRequests = OtherFindings(of: ofRequests)

    /// Of a device's request, which is refused at an endpoint of its own.
    static let refusedDevices = OtherFindings(of: ofRequests + [UnsupportedGrantType()])

    /// Of a logout.
    static let logouts = OtherFindings(of: LogoutAndDeviceRules.list)

    /// Of a refused token request, other than its grant.
    static let tokenRequests = OtherFindings(
        of: TokenRequestRules.list.filter {
            !($0 is UnsupportedGrantType) && !type(of: $0).info.isSymptom
        }
    )

    /// Of an ID token that a client has to refuse.
    static let refusedIDTokens = OtherFindings(
        of: IDTokenRules.list.filter { rule in
            switch type(of: rule).info.severity {
            case .warning, .note: false
            case .error, .errorWhenRefused: true
            }
        }
    )

    /// Of an ID token that is wrong in what a client looks at that does not mind the issuer, or that could not be verified.
    static let idTokensOfAnyIssuer = OtherFindings(of: [
        IDTokenAudienceMismatch(), IDTokenExpired(), IDTokenNonceMismatch(), IDTokenNonceMissing(),
        IDTokenSignatureInvalid(), IDTokenKidUnknown(), JWKSUnreachable(),
    ])

    /// Of a refused access token.
    static let refusedTokens = OtherFindings(of: [
        AccessTokenWrongKind(), AudienceMismatch(), APIAudienceNotRequested(),
        AccessTokenIssuerMismatch(), InsufficientScope(),
    ])

    /// Of a call by which an app's server looks at a new token.
    static let refusedCalls = OtherFindings(of: [BearerRejected(), InsufficientScope(), TokenInvalidClient()])

    private static let ofRequests: [any Rule] =
        RegistrationRules.list + AuthorizationRequestRules.list + UserAgentRules.list
        + [
            UserCancelled(), AccessDeniedByPolicy(), ProviderServerError(), ClientTypeMismatch(),
        ]
        + ProviderSpecificRules.list
}
