import Captures
import Provider
import Testing

/// A suite of attacks without any login: what is driven next, and what each one comes to.
struct AttackSuiteStateMachineTests {
    private static func faults(_ ids: [String]) throws -> [Fault] {
        try ids.map { try #require(FaultCatalog.fault($0)) }
    }

    private static func login(
        _ ending: DrivenLogin.Ending = .exited(0),
        _ answers: [(kind: AnswerKind, broken: Set<String>)] = [
            (.metadata, []), (.authorizationResponse, []), (.tokenResponse, []),
        ],
        occasions: Set<String> = []
    ) -> DrivenLogin {
        var sighting = ProviderSighting()
        for (kind, broken) in answers {
            sighting.note(
                ProviderAnswer(
                    response: RecordedResponse(status: 200),
                    kind: kind,
                    broken: broken,
                    occasions: occasions
                )
            )
        }
        return DrivenLogin(ending: ending, duration: .seconds(1), sighting: sighting)
    }

    /// A login in which a fault acted on the token response, and what followed.
    private static func broken(
        _ fault: String,
        _ ending: DrivenLogin.Ending,
        _ after: [AnswerKind] = []
    ) -> DrivenLogin {
        login(ending, [(.authorizationResponse, []), (.tokenResponse, [fault])] + after.map { ($0, []) })
    }

    /// Whose login is to be driven: "good", a fault, or nil at the end.
    private static func next(_ machine: inout AttackSuiteStateMachine) -> String? {
        guard case .drive(let fault) = machine.next() else { return nil }
        return fault?.id ?? "good"
    }

    private static let ids = ["id-token-expired", "id-token-alg-none"]

    // MARK: - The order

    @Test func goodLoginsAreFirstAndLast() throws {
        var machine = AttackSuiteStateMachine(try Self.faults(Self.ids))
        #expect(Self.next(&machine) == "good")
        machine.ended(Self.login(occasions: Set(Self.ids)))
        #expect(Self.next(&machine) == "id-token-expired")
        machine.ended(Self.broken("id-token-expired", .exited(1), [.keySet]))
        #expect(Self.next(&machine) == "id-token-alg-none")
        machine.ended(Self.broken("id-token-alg-none", .exited(0), [.keySet, .userInfo, .other, .userInfo]))
        #expect(machine.results.map(\.isConfirmed) == [false, false])
        #expect(Self.next(&machine) == "good")
        machine.ended(Self.login())
        #expect(Self.next(&machine) == nil)
        #expect(machine.results.map(\.verdict) == [.rejected, .letThrough])
        #expect(machine.results.map(\.isConfirmed) == [true, true])
        #expect(machine.results.last?.login?.sighting.wentOn == [.keySet, .userInfo])
        #expect(machine.stop == nil && machine.goodLogins.count == 2)
    }

    @Test func goodLoginIsDrivenAgainNowAndThen() throws {
        var machine = AttackSuiteStateMachine(try Self.faults(Self.ids), goodEvery: 1)
        var driven: [String] = []
        while let next = Self.next(&machine) {
            driven.append(next)
            machine.ended(
                next == "good" ? Self.login(occasions: Set(Self.ids)) : Self.broken(next, .exited(1))
            )
        }
        #expect(driven == ["good", "id-token-expired", "good", "id-token-alg-none", "good"])
    }

    // MARK: - Verdicts

    @Test func aFaultWithoutOccasionIsNotDriven() throws {
        let ids = ["jarm-invalid:exp", "jwks-unreachable", "refresh-token-expired", "id-token-nonce-missing"]
        var machine = AttackSuiteStateMachine(try Self.faults(ids))
        _ = machine.next()
        machine.ended(Self.login())
        #expect(Self.next(&machine) == nil)
        #expect(
            machine.results.map(\.verdict) == [
                .notExercised("this login has no signed authorization responses (JARM)"),
                .notExercised(
                    "the app did not fetch keys: it has them from before, or does without. Let the command start it anew"
                ), .notExercised("this login has no refresh"),
                .notExercised("this login has no nonce in the authorization request"),
            ]
        )
        #expect(machine.results.allSatisfy { $0.login == nil })
    }

    @Test func aFaultThatDidNotActIsNeitherRejectedNorLetThrough() throws {
        let ids = ["jwks-unreachable", "id-token-expired"]
        var machine = AttackSuiteStateMachine(try Self.faults(ids))
        _ = machine.next()
        machine.ended(Self.login(occasions: Set(ids)))
        _ = machine.next()
        // Went through, and the keys were not asked for.
        machine.ended(Self.login())
        _ = machine.next()
        machine.ended(Self.login(.exited(0), []))
        #expect(
            machine.results.map(\.verdict) == [
                .notExercised("the app keeps keys from an earlier login: let the command start it anew"),
                .notExercised(
                    "the app asked the provider for nothing: let each login begin with a new session"
                ),
            ]
        )
    }

    @Test func whatFailsBeforeTheFaultActsIsFollowedByAGoodLogin() throws {
        var machine = AttackSuiteStateMachine(try Self.faults(Self.ids))
        _ = machine.next()
        machine.ended(Self.login(occasions: Set(Self.ids)))
        _ = machine.next()
        machine.ended(Self.login(.exited(1), [(.metadata, [])]))
        #expect(machine.results[0].verdict == .notExercised("the login failed before it came to this"))
        #expect(Self.next(&machine) == "good")
    }

    @Test(arguments: [DrivenLogin.Ending.exited(1), .signalled(9), .timedOut])
    func everyEndingButSuccessIsARejection(_ ending: DrivenLogin.Ending) throws {
        var machine = AttackSuiteStateMachine(try Self.faults(Self.ids))
        _ = machine.next()
        machine.ended(Self.login(occasions: Set(Self.ids)))
        _ = machine.next()
        machine.ended(Self.broken("id-token-expired", ending))
        #expect(machine.results[0].verdict == .rejected)
        #expect(machine.results[0].login?.ending == ending)
    }

    @Test func whatLeavesTheLoginAsItIsStaysUndecided() throws {
        let ids = ["userinfo-sub-mismatch", "refresh-subject-changed:sub"]
        var machine = AttackSuiteStateMachine(try Self.faults(ids))
        _ = machine.next()
        machine.ended(Self.login(occasions: Set(ids)))
        for id in ids {
            _ = machine.next()
            machine.ended(Self.broken(id, .exited(0)))
        }
        let condition = "the login may go through, if nothing of the wrong answer is used"
        #expect(machine.results.map(\.verdict) == [.undecided(condition), .undecided(condition)])
    }

    /// OpenID Connect Core, section 3.1.3.7 (6).
    @Test(
        arguments: [
            ("id-token-signature-invalid", true, [], true), ("id-token-kid-unknown", true, [.userInfo], true),
            // Whoever has the keys verifies with them, and what is not of the signature is looked at in any case.
            ("id-token-signature-invalid", true, [.keySet], false), ("id-token-expired", true, [], false),
            ("id-token-alg-none", true, [], false), ("id-token-signature-invalid", false, [], false),
        ] as [(String, Bool, [AnswerKind], Bool)]
    )
    func aSignatureMayGoUnverifiedAtATokenEndpointWithTLS(
        _ fault: String,
        _ isByTLS: Bool,
        _ after: [AnswerKind],
        _ mayGoThrough: Bool
    ) throws {
        var machine = AttackSuiteStateMachine(try Self.faults([fault]), isByTLS: isByTLS)
        _ = machine.next()
        machine.ended(Self.login(occasions: [fault]))
        _ = machine.next()
        machine.ended(Self.broken(fault, .exited(0), after))
        let verdict = try #require(machine.results.first?.verdict)
        if case .undecided(let condition) = verdict {
            #expect(mayGoThrough && condition.contains("fetched no keys"))
        } else {
            #expect(!mayGoThrough && verdict == .letThrough)
        }
    }

    @Test func anIDTokenFromTheBrowserHasNoTLSToGoBy() throws {
        let fault = "id-token-signature-invalid"
        var machine = AttackSuiteStateMachine(try Self.faults([fault]), isByTLS: true)
        _ = machine.next()
        machine.ended(Self.login(occasions: [fault]))
        _ = machine.next()
        machine.ended(Self.login(.exited(0), [(.authorizationResponse, [fault]), (.tokenResponse, [])]))
        #expect(machine.results.map(\.verdict) == [.letThrough])
    }

    // MARK: - Ends before the end

    @Test func nothingIsDrivenWhereTheGoodLoginFails() throws {
        var machine = AttackSuiteStateMachine(try Self.faults(Self.ids))
        _ = machine.next()
        machine.ended(Self.login(.exited(3), occasions: Set(Self.ids)))
        #expect(Self.next(&machine) == nil)
        #expect(machine.stop == .goodLoginFails && machine.results.isEmpty && machine.remaining == 2)
    }

    @Test(arguments: [[], [(.metadata, []), (.other, [])]] as [[(AnswerKind, Set<String>)]])
    func aLoginThatNobodyWasAskedForIsNone(_ answers: [(AnswerKind, Set<String>)]) throws {
        var machine = AttackSuiteStateMachine(try Self.faults(Self.ids))
        _ = machine.next()
        machine.ended(Self.login(.exited(0), answers.map { ($0.0, $0.1) }))
        #expect(Self.next(&machine) == nil)
        #expect(machine.stop == .nothingAsked)
    }

    @Test func rejectionsSinceTheLastGoodLoginAreWorthNothing() throws {
        let ids = Self.ids + ["id-token-malformed"]
        var machine = AttackSuiteStateMachine(try Self.faults(ids), goodEvery: 1)
        _ = machine.next()
        machine.ended(Self.login(occasions: Set(ids)))
        for (id, good) in [(ids[0], DrivenLogin.Ending.exited(0)), (ids[1], .exited(1))] {
            #expect(Self.next(&machine) == id)
            machine.ended(Self.broken(id, .exited(1)))
            #expect(Self.next(&machine) == "good")
            machine.ended(Self.login(good))
        }
        #expect(Self.next(&machine) == nil)
        #expect(machine.stop == .goodLoginFailsNow(after: ids[1]))
        #expect(machine.results.map(\.isConfirmed) == [true, false])
        #expect(machine.remaining == 1)
    }

    @Test func interruptionEndsIt() throws {
        var machine = AttackSuiteStateMachine(try Self.faults(Self.ids))
        _ = machine.next()
        machine.interrupted()
        #expect(Self.next(&machine) == nil && machine.stop == .interrupted)
    }
}
