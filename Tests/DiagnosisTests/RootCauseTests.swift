import Captures
import DiagnosisTestSupport
import Testing

@testable import Diagnosis

struct RootCauseTests {
    private func candidate(
        _ rule: String,
        _ severity: Severity = .error,
        time: Int = 0,
        isServed: Bool = true,
        rank: Int = 0,
        explains: Set<String> = []
    ) -> RootCause.Candidate {
        RootCause.Candidate(
            finding: Finding(
                rule: rule,
                severity: severity,
                title: "",
                isPrimary: false,
                variant: nil,
                evidence: [],
                explanation: "",
                fix: "",
                specifications: [],
                effectOf: nil
            ),
            isSymptom: Precedence.symptoms.contains(rule),
            explains: explains,
            time: time,
            isServed: isServed,
            rank: rank
        )
    }

    private func order(_ candidates: [RootCause.Candidate], isSuccess: Bool = false) -> [String] {
        RootCause.ordered(candidates, isSuccess: isSuccess).map(\.rule)
    }

    /// What a broker tells of another login stands behind the faults of this one, and is no root cause.
    @Test func whatHasItsCauseInAnotherFlowStandsBehind() {
        var told = candidate("access-denied-by-policy")
        told.finding.effectOf = "scope-rejected"
        told.finding.effectOfFlow = "flow-2"
        let own = candidate("callback-rejected-by-app", time: 9)
        let warning = candidate("pkce-plain", .warning)
        let both = RootCause.ordered([told, warning, own], isSuccess: false)
        #expect(both.map(\.rule) == ["callback-rejected-by-app", "access-denied-by-policy", "pkce-plain"])
        #expect(both.map(\.isPrimary) == [true, false, false])
        let alone = RootCause.ordered([told, warning], isSuccess: false)
        #expect(alone.map(\.isPrimary) == [false, false] && alone[0].effectOf == "scope-rejected")
    }

    /// What was refused before has a reason of its own.
    @Test func refusedGrantExplainsNoEarlierRefusal() {
        for rule in ["refresh-wrong-client", "registration-grant-missing"] {
            let told = { (time: Int) in
                RootCause.ordered(
                    [candidate(rule, time: 6), candidate("token-endpoint-error", time: time)],
                    isSuccess: false
                ).map(\.effectOf)
            }
            #expect(told(6) == [nil, rule] && told(4) == [nil, nil])
        }
    }

    /// What was refused once the provider could do it again has a reason of its own.
    @Test func failureOfTheProviderExplainsNoLaterRefusal() {
        let told = { (time: Int, isServed: Bool) in
            RootCause.ordered(
                [
                    candidate("provider-server-error", time: 4, isServed: false),
                    candidate("par-rejected", time: time, isServed: isServed),
                ],
                isSuccess: false
            ).map(\.effectOf)
        }
        #expect(told(4, false) == [nil, "provider-server-error"])
        #expect(told(6, false) == [nil, "provider-server-error"])
        #expect(told(6, true) == [nil, nil])
    }

    @Test func severityGoesBeforeEverything() {
        #expect(
            order([candidate("code-reused", .warning), candidate("token-invalid-grant", time: 9)]) == [
                "token-invalid-grant", "code-reused",
            ]
        )
    }

    @Test func causesGoBeforeSymptomsAndSymptomsInTheirOrder() {
        let symptoms = Precedence.symptoms.reversed().map { candidate($0) }
        #expect(
            order(symptoms + [candidate("access-denied-by-policy", time: 9)]) == ["access-denied-by-policy"]
                + Precedence.symptoms
        )
    }

    /// Rows of the table: the first goes before the second, though its fault is later and it stands behind
    /// it.
    @Test(arguments: [
        ("state-mismatch", "callback-rejected-by-app"), ("singpass-parameter-missing", "par-rejected"),
        ("id-token-nonce-mismatch", "callback-rejected-by-app"),
        ("code-altered", "redirect-uri-token-mismatch"), ("code-wrong-client", "pkce-verifier-mismatch"),
        ("redirect-uri-token-mismatch", "pkce-verifier-missing"),
        ("pkce-verifier-missing", "pkce-verifier-mismatch"),
        ("pkce-method-omitted", "pkce-verifier-mismatch"), ("pkce-verifier-mismatch", "code-reused"),
        ("code-reused", "code-expired"),
        ("registration-auth-method-mismatch", "client-secret-mismatch"),
        ("registration-redirect-differs", "redirect-uri-not-registered"),
        ("cookies-too-large", "cookie-path-mismatch"), ("cookie-samesite-strict", "state-cookie-lost"),
        ("state-cookie-lost", "state-mismatch"),
        ("client-auth-missing", "par-rejected"), ("par-rejected", "redirect-uri-not-registered"),
        ("loopback-port-mismatch", "par-rejected"), ("client-assertion-alg", "par-rejected"),
        ("client-assertion-subject", "token-invalid-client"),
        ("scope-malformed", "id-token-missing"),
        ("id-token-alg-none", "id-token-signature-invalid"),
        ("id-token-kid-unknown", "id-token-signature-invalid"),
        ("id-token-issuer-mismatch", "id-token-kid-unknown"),
        ("refresh-token-reused", "refresh-token-expired"),
        ("access-token-expired", "audience-mismatch"), ("dpop-key-mismatch", "insufficient-scope"),
        ("proxy-scheme-downgrade", "cookie-secure-over-http"),
        ("silent-login-cookies-blocked", "silent-login-required"),
    ])
    func theTableGoesBeforeTime(cause: String, effect: String) {
        let findings = RootCause.ordered(
            [candidate(effect, time: 0, rank: 0), candidate(cause, time: 5, rank: 9)],
            isSuccess: false
        )
        #expect(findings.map(\.rule) == [cause, effect])
        #expect(findings.map(\.isPrimary) == [true, false])
        #expect(findings[1].effectOf == cause)
        #expect(findings[0].effectOf == nil)
    }

    /// Symptoms that a cause explains.
    @Test(arguments: [
        ("pkce-verifier-mismatch", "token-invalid-grant"), ("client-auth-duplicate", "token-invalid-client"),
        ("client-assertion-audience", "token-invalid-client"),
        ("registration-secret-expired", "token-invalid-client"),
        ("cookie-host-mismatch", "redirect-loop"), ("state-cookie-lost", "callback-rejected-by-app"),
        ("access-token-wrong-kind", "bearer-rejected"),
        ("refresh-token-expired", "token-invalid-grant"),
    ])
    func aSymptomNamesItsCause(cause: String, symptom: String) {
        let findings = RootCause.ordered([candidate(symptom), candidate(cause, time: 5)], isSuccess: false)
        #expect(findings.last?.effectOf == cause)
    }

    @Test func someRowsDependOnTheCase() {
        let skew = candidate("client-clock-skew", time: 5)
        #expect(order([candidate("id-token-expired"), skew]) == ["id-token-expired", "client-clock-skew"])
        let saysSo = candidate("client-clock-skew", time: 5, explains: ["id-token-expired"])
        #expect(order([candidate("id-token-expired"), saysSo]) == ["client-clock-skew", "id-token-expired"])
    }

    @Test func theTransportExplainsWhatCouldNotHappenAfterwards() {
        #expect(
            order([
                candidate("discovery-unreachable", time: 3), candidate("host-unreachable", time: 3, rank: 9),
            ]) == ["host-unreachable", "discovery-unreachable"]
        )
        #expect(
            order([candidate("discovery-issuer-mismatch", time: 1), candidate("host-unreachable", time: 3)])
                .first == "discovery-issuer-mismatch"
        )
    }

    /// What was answered behind it did happen, and a note tells of nothing that did not; an app that refuses a callback lacks something.
    @Test(arguments: [
        ("pkce-verifier-mismatch", Severity.error, 4, true, false),
        ("pkce-verifier-mismatch", .error, 4, false, true),
        ("token-invalid-grant", .error, 4, true, false), ("token-response-not-json", .error, 1, true, true),
        ("pkce-plain", .warning, 4, true, false), ("capture-sanitized", .note, 4, false, false),
        ("user-cancelled", .note, 4, true, false), ("callback-rejected-by-app", .error, 4, true, true),
        ("code-never-redeemed", .warning, 4, true, true),
    ])
    func theTransportDoesNotExplainWhatHappened(
        rule: String,
        severity: Severity,
        time: Int,
        isServed: Bool,
        isEffect: Bool
    ) {
        for cause in ["rate-limited", "host-unreachable", "tls-handshake-failed"] {
            let findings = RootCause.ordered(
                [candidate(cause, time: 1), candidate(rule, severity, time: time, isServed: isServed)],
                isSuccess: false
            )
            #expect(findings.first { $0.rule == rule }?.effectOf == (isEffect ? cause : nil))
        }
    }

    @Test func thenTheEarliestThenTheCatalogueDecides() {
        #expect(order([candidate("a", time: 4, rank: 0), candidate("b", time: 2, rank: 1)]) == ["b", "a"])
        #expect(order([candidate("b", time: 2, rank: 1), candidate("a", time: 2, rank: 0)]) == ["a", "b"])
    }

    @Test func aNoteIsPrimaryOnlyAsTheReasonOfAnEnding() {
        #expect(RootCause.ordered([candidate("user-cancelled", .note)], isSuccess: false)[0].isPrimary)
        #expect(!RootCause.ordered([candidate("user-cancelled", .note)], isSuccess: true)[0].isPrimary)
        #expect(!RootCause.ordered([candidate("scope-reduced", .note)], isSuccess: false)[0].isPrimary)
        #expect(RootCause.ordered([candidate("pkce-plain", .warning)], isSuccess: true)[0].isPrimary)
    }

    @Test func theTableHasNoCircle() {
        let ids = Set(Precedence.rows.flatMap { $0.causes + $0.effects } + Precedence.chains.flatMap { $0 })
            .filter { $0 != "*" }
            .map { $0.hasSuffix("*") ? $0.dropLast() + "x" : $0 }
        for first in ids {
            for second in ids
            where Precedence.places(
                first,
                over: second,
                explained: Set(ids),
                isEarlier: false,
                isUnserved: false
            ) {
                #expect(
                    !Precedence.places(
                        second,
                        over: first,
                        explained: Set(ids),
                        isEarlier: false,
                        isUnserved: false
                    ),
                    "\(first) and \(second)"
                )
            }
        }
    }
}
