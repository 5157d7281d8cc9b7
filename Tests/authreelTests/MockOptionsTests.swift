import ArgumentParser
import Foundation
import JSON
import Provider
import TestSupport
import Testing

@testable import authreel

/// What `mock` is asked for in vain, and says so before it does anything.
struct MockOptionsTests {
    /// As a variable of a script that is not set has it: the provider would be a good one.
    @Test(arguments: ["", " ", ","])
    func faultWithoutANameIsNone(fault: String) throws {
        let options = try MockOptions.parse(["--fault", fault])
        #expect(throws: CommandFailure.self) { try options.faults() }
    }

    /// What a client does wrong no provider can be made to do.
    @Test func ruleThatNoFaultBreaksIsNoMistypedFault() {
        let rule = MockOptions.hint(onUnknownFault: "pkce-verifier-mismatch")
        #expect(rule.contains(" explain pkce-verifier-mismatch; ") && !rule.contains("one of these"))
        #expect(MockOptions.hint(onUnknownFault: "state-mismach").hasPrefix("state-mismatch, "))
        #expect(MockOptions.hint(onUnknownFault: "qqq").hasSuffix(" mock --list-faults names them all"))
    }

    /// Of neither anything would be made: no capture is opened, and a list begins nothing.
    @Test func whatIsNamedIsThereThoughNothingWantsIt() throws {
        let key = try Mock.parse(["--identity", "/nowhere/key"])
        let missing = try #require(throws: CommandFailure.self) { try key.check() }
        #expect(missing.status == .noInput && missing.message.contains("/nowhere/key: no such file"))
        let list = try Mock.parse(["--list-faults", "--fault", "nonsense"])
        let unknown = try #require(throws: CommandFailure.self) { try list.check() }
        #expect(unknown.status == .usage && unknown.message == "there is no fault nonsense")
        let right = try Mock.parse(["--list-faults", "--fault", "state-mismatch"])
        #expect(throws: Never.self) { try right.check() }
    }

    /// OpenID Connect Core, section 5.1: what applications show of who signed in.
    @Test func userForDevelopmentHasANameToShow() throws {
        let played = try PlayedProvider(
            builtInAt: "http://127.0.0.1:8090",
            options: try MockOptions.parse(["--user", "bob:builder"]).recorded()
        )
        #expect(played.issuers[0].users[0].claims["preferred_username"] == "bob")
    }

    /// Only the first would be heard, and who wonders about the second would look for it elsewhere.
    @Test(arguments: [("--client", ["shop:a", "shop"]), ("--user", ["bob:a", "bob:b"])])
    func nobodyIsNamedTwice(option: String, values: [String]) throws {
        let options = try MockOptions.parse(values.flatMap { [option, $0] })
        let failure = #expect(throws: CommandFailure.self) { try options.recorded() }
        #expect(failure?.status == .usage && failure?.message.contains("\(option) names ") == true)
        #expect(throws: Never.self) { try MockOptions.parse([option, values[0]]).recorded() }
    }

    @Test func keyOfAClientIsInAFile() throws {
        let options = try MockOptions.parse(["--client-key", "shop="])
        let failure = #expect(throws: CommandFailure.self) { try options.recorded() }
        #expect(failure?.message.contains("--client-key takes ID=FILE") == true)
    }

    /// RFC 6749, section 3.1.2: what lacks its scheme would have that of its host's name.
    @Test(
        arguments: [
            ("localhost:3000/cb", "mock --redirect-uri http://localhost:3000/cb"),
            ("localhost:3000/cb?a=1&b", "mock --redirect-uri 'http://localhost:3000/cb?a=1&b'"),
            ("/cb", "com.example.app:/"),
            ("http://localhost:3000/cb", nil), ("com.example.app:/cb", nil),
        ] as [(String, String?)]
    )
    func redirectURIIsAbsolute(uri: String, hint: String?) throws {
        let options = try MockOptions.parse(["--redirect-uri", uri])
        guard let hint else {
            #expect(throws: Never.self) { try options.recorded() }
            return
        }
        let failure = #expect(throws: CommandFailure.self) { try options.recorded() }
        #expect(failure?.message.contains("an absolute URI") == true)
        #expect(failure?.hint?.contains(hint) == true)
    }

    /// A mock posts nothing to other machines; what a browser loads may be anywhere.
    @Test(arguments: [
        ("--backchannel-logout-uri", "http://localhost:3000/out", true),
        ("--backchannel-logout-uri", "https://[::1]:3000/out", true),
        ("--backchannel-logout-uri", "https://shop.example/out", false),
        ("--backchannel-logout-uri", "http://localhost@shop.example/out", false),
        ("--backchannel-logout-uri", "http://localhost.shop.example/out", false),
        ("--backchannel-logout-uri", "http://0.0.0.0:3000/out", false),
        ("--backchannel-logout-uri", "com.example.app:/out", false),
        ("--frontchannel-logout-uri", "https://shop.example/out", true),
        ("--frontchannel-logout-uri", "https://shop.example/out#part", false),
    ])
    func clientIsToldOfALogoutWhereItCanBe(option: String, uri: String, isTaken: Bool) throws {
        let options = try MockOptions.parse([option, uri])
        guard !isTaken else {
            let logout = try options.recorded().logout
            #expect([logout.backchannel, logout.frontchannel].contains(uri))
            return
        }
        let failure = #expect(throws: CommandFailure.self) { try options.recorded() }
        #expect(failure?.message.contains(option) == true)
        #expect(failure?.hint?.contains("mock \(option) http://localhost:3000/logout") == true)
    }

    /// As of each form for programs.
    @Test func listOfFaultsHasItsVersion() {
        #expect(FaultList.text(of: [], .json) == #"{"version":1,"faults":[]}"#)
    }

    /// What reads a file has each fault on one line.
    @Test(arguments: [60, 80, 100]) func listOfFaultsFitsTheTerminal(columns: Int) {
        func lines(_ columns: Int?) -> [Substring] {
            FaultList.text(of: FaultCatalog.all, .text, columns: columns).split(separator: "\n")
        }
        func words(_ columns: Int?) -> [Substring] { lines(columns).flatMap { $0.split(separator: " ") } }
        #expect(lines(nil).contains { $0.count > 100 })
        #expect(lines(columns).allSatisfy { $0.count <= columns })
        #expect(words(columns) == words(nil))
    }

    /// A suite takes minutes: whether its report can be written is looked at before.
    @Test func reportOfASuiteWritesOverNothing() throws {
        let file = Fixtures.root.appending(path: "Package.swift").path
        let mock = try Mock.parse(["--attack-suite", "--drive", "true", "--junit", file])
        #expect(throws: CommandFailure.self) { try mock.attack.check(against: mock) }
        let free = try Mock.parse(["--attack-suite", "--drive", "true", "--junit", "-"])
        #expect(throws: Never.self) { try free.attack.check(against: free) }
    }
}
