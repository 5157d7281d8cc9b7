import Captures
import Foundation
import LibCrypto
import Testing

@testable import Proxy

/// Plans as they are shown, on machines of paper.
struct TrustPlannerTests {
    static let now = Timestamp(seconds: 1_795_219_200)
    let files = AuthorityFiles(folder: "/home/ann/my ca")
    let authority: AuthorityIdentity
    private let pem: [UInt8]
    /// The beginning of its fingerprint, which every name holds.
    let short: String

    init() throws {
        let (made, _) = try CertificateAuthority.make(now: Self.now)
        authority = AuthorityIdentity(made.certificate)
        pem = Array(made.certificate.pem.utf8)
        short = authority.short
    }

    func planner(_ machine: PaperMachine) -> TrustPlanner<PaperMachine> {
        TrustPlanner(machine: machine, files: files)
    }

    /// The first record of a plan's first change.
    func firstRecord(_ plan: TrustPlan) throws -> TrustRecord {
        try #require(plan.changes.first?.adds.first)
    }

    func lines(_ plan: TrustPlan, isRoot: Bool = false) -> [String] {
        plan.lines(isRoot: isRoot).filter { !$0.hasPrefix("#") }.map { $0.replacing(short, with: "FP") }
    }

    func trusting(_ machine: PaperMachine, _ stores: [TrustStore]? = nil) -> TrustPlan {
        let planner = planner(machine)
        return planner.trusting(authority, in: stores ?? planner.stores(), known: TrustRecords())
    }

    // MARK: - The system's store

    struct SystemRow: CustomTestStringConvertible, Sendable {
        var name: String
        var folder: String
        var tool: (name: String, call: String)
        var commands: [String]

        var testDescription: String { name }
    }

    static let systems: [SystemRow] = [
        SystemRow(
            name: "Debian, whose users lack /usr/sbin in PATH",
            folder: "/usr/local/share/ca-certificates",
            tool: ("update-ca-certificates", "/usr/sbin/update-ca-certificates"),
            commands: [
                "sudo install -m 644 '/home/ann/my ca/ca.pem' /usr/local/share/ca-certificates/authreel-FP.crt",
                "sudo /usr/sbin/update-ca-certificates",
            ]
        ),
        SystemRow(
            name: "Fedora",
            folder: "/etc/pki/ca-trust/source/anchors",
            tool: ("update-ca-trust", "update-ca-trust"),
            commands: [
                "sudo install -m 644 '/home/ann/my ca/ca.pem' /etc/pki/ca-trust/source/anchors/authreel-FP.crt",
                "sudo update-ca-trust",
            ]
        ),
        SystemRow(
            name: "Arch",
            folder: "/etc/ca-certificates/trust-source/anchors",
            tool: ("update-ca-trust", "update-ca-trust"),
            commands: [
                "sudo install -m 644 '/home/ann/my ca/ca.pem' "
                    + "/etc/ca-certificates/trust-source/anchors/authreel-FP.crt",
                "sudo update-ca-trust",
            ]
        ),
        SystemRow(
            name: "openSUSE",
            folder: "/etc/pki/trust/anchors",
            tool: ("update-ca-certificates", "update-ca-certificates"),
            commands: [
                "sudo install -m 644 '/home/ann/my ca/ca.pem' /etc/pki/trust/anchors/authreel-FP.crt",
                "sudo update-ca-certificates",
            ]
        ),
    ]

    @Test(arguments: systems)
    func systemIsToldInItsOwnWay(row: SystemRow) {
        var machine = PaperMachine(tools: [row.tool.name: row.tool.call])
        machine.folders.insert(row.folder)
        #expect(lines(trusting(machine)) == row.commands)
        #expect(lines(trusting(machine), isRoot: true).allSatisfy { !$0.contains("sudo") })
    }

    func debian(trusted: Bool = false) -> PaperMachine {
        var machine = PaperMachine(tools: [
            "update-ca-certificates": "update-ca-certificates", "openssl": "openssl",
        ])
        machine.folders.insert("/usr/local/share/ca-certificates")
        machine.files["/etc/ssl/certs/ca-certificates.crt"] = Array("another\n".utf8)
        guard trusted else { return machine }
        machine.files["/usr/local/share/ca-certificates/authreel-\(short).crt"] = pem
        machine.files["/etc/ssl/certs/ca-certificates.crt"] = Array("another\n".utf8) + pem
        machine.links["/etc/ssl/certs/authreel-\(short).pem"] =
            "/usr/local/share/ca-certificates/authreel-\(short).crt"
        machine.links["/etc/ssl/certs/24f24290.0"] = "authreel-\(short).pem"
        machine.links["/etc/ssl/certs/11111111.0"] = "Another_Root.pem"
        return machine
    }

    @Test func linksThatDebianLeavesBehindAreRemovedByName() {
        let machine = debian(trusted: true)
        #expect(trusting(machine).changes.isEmpty)
        let plan = planner(machine).untrusting([authority], in: [.system(.debian)], known: TrustRecords())
        #expect(
            lines(plan) == [
                "sudo rm -f /usr/local/share/ca-certificates/authreel-FP.crt /etc/ssl/certs/authreel-FP.pem "
                    + "/etc/ssl/certs/24f24290.0",
                "sudo update-ca-certificates",
            ]
        )
    }

    @Test func hashOfAnotherCertificateOfThisSubjectIsNumberedAnew() {
        var machine = debian(trusted: true)
        machine.links["/etc/ssl/certs/24f24290.1"] = "Namesake.pem"
        let plan = planner(machine).untrusting([authority], in: [.system(.debian)], known: TrustRecords())
        #expect(lines(plan).last == "sudo openssl rehash /etc/ssl/certs")
    }

    @Test(arguments: [false, true])
    func interruptedChangeIsFinishedOrTakenBack(afterCopying: Bool) {
        var machine = debian(trusted: true)
        machine.links = [:]
        if afterCopying {
            // Killed between `install` and the update.
            machine.files["/etc/ssl/certs/ca-certificates.crt"] = Array("another\n".utf8)
        } else {
            // Killed between `rm` and the update.
            machine.files["/usr/local/share/ca-certificates/authreel-\(short).crt"] = nil
        }
        #expect(lines(trusting(machine)).count == 2)
        let plan = planner(machine).untrusting([authority], in: [.system(.debian)], known: TrustRecords())
        #expect(lines(plan).last == "sudo update-ca-certificates")
        #expect(lines(plan).count == (afterCopying ? 2 : 1))
    }

    @Test func certificateThatWasCopiedByHandIsFoundByItsFingerprint() {
        var machine = debian()
        machine.files["/usr/local/share/ca-certificates/work.crt"] = pem
        let plan = planner(machine).untrusting([authority], in: [.system(.debian)], known: TrustRecords())
        #expect(lines(plan).first == "sudo rm -f /usr/local/share/ca-certificates/work.crt")
    }

    @Test func authorityOfAnotherFolderStaysUnlessAllAreMeant() throws {
        let machine = debian(trusted: true)
        let planner = planner(machine)
        let other = AuthorityIdentity(try CertificateAuthority.make(now: Self.now).0.certificate)
        let plan = planner.untrusting([other], in: [.system(.debian)], known: TrustRecords())
        #expect(plan.isEmpty && plan.remarks.count == 1)
        let all = planner.untrusting([other], in: [.system(.debian)], known: TrustRecords(), takesAll: true)
        #expect(lines(all).count == 2 && all.remarks.isEmpty)
    }

    @Test func missingFolderIsMadeAndRemovedAgain() throws {
        var machine = debian()
        machine.folders = ["/home/ann", "/usr/local/share"]
        machine.files["/etc/debian_version"] = []
        let plan = trusting(machine)
        #expect(lines(plan).first == "sudo mkdir /usr/local/share/ca-certificates")
        let record = try firstRecord(plan)
        #expect(record.madeFolders == ["/usr/local/share/ca-certificates"])

        let back = planner(debian(trusted: true)).untrusting(
            [],
            in: [.system(.debian)],
            known: TrustRecords(records: [record])
        )
        #expect(lines(back).last == "sudo rmdir /usr/local/share/ca-certificates")
        // Somebody else's file keeps it.
        var shared = debian(trusted: true)
        shared.files["/usr/local/share/ca-certificates/company.crt"] = Array("x".utf8)
        let kept = planner(shared).untrusting(
            [],
            in: [.system(.debian)],
            known: TrustRecords(records: [record])
        )
        #expect(!lines(kept).contains { $0.contains("rmdir") })
    }

    @Test func missingToolIsNamedWithItsPackage() throws {
        var machine = PaperMachine()
        machine.files["/etc/debian_version"] = []
        machine.folders.insert("/usr/local/share/ca-certificates")
        machine.files["/home/ann/.pki/nssdb/cert9.db"] = []
        let plan = trusting(machine)
        try #require(plan.changes.isEmpty && plan.unmet.count == 2)
        #expect(plan.unmet[0].advice == "sudo apt-get install ca-certificates")
        #expect(
            plan.unmet[1].advice.hasPrefix(
                "sudo apt-get install libnss3-tools; or by hand: import '/home/ann/my ca"
            )
        )
    }

    @Test func loginKeychainOfMacOSNeedsNoRoot() {
        var machine = PaperMachine(home: "/Users/ann")
        machine.folders.insert("/System/Library/Keychains")
        machine.tools["security"] = "security"
        let keychain = "/Users/ann/Library/Keychains/login.keychain-db"
        let look = "security find-certificate -a -Z -c authreel \(keychain)"
        machine.outputs[look] = ToolOutput(status: 44, text: "")
        #expect(
            lines(trusting(machine)) == [
                "security add-trusted-cert -r trustRoot -k \(keychain) '/home/ann/my ca/ca.pem'"
            ]
        )
        machine.outputs[look] = ToolOutput(
            status: 0,
            text: "SHA-256 hash: \(authority.fingerprint.uppercased())\nSHA-1 hash: 00\n"
        )
        #expect(trusting(machine).changes.isEmpty)
        let plan = planner(machine).untrusting([authority], in: [.system(.macOS)], known: TrustRecords())
        #expect(
            plan.changes.first?.steps.map(\.command) == [
                ["security", "delete-certificate", "-Z", authority.fingerprint.uppercased(), "-t", keychain]
            ]
        )
    }

    // MARK: - NSS

    private func chromium() -> PaperMachine {
        PaperMachine(tools: ["certutil": "certutil", "chromium": "chromium"])
    }

    private let database = TrustStore.nss(folder: "/home/ann/.pki/nssdb")

    @Test func databaseOfChromiumIsMadeWhereItIsMissing() throws {
        let plan = trusting(chromium())
        #expect(
            lines(plan) == [
                "mkdir -m 700 /home/ann/.pki", "mkdir -m 700 /home/ann/.pki/nssdb",
                "certutil -N --empty-password -d sql:/home/ann/.pki/nssdb",
                "certutil -A -d sql:/home/ann/.pki/nssdb -t C,, -n 'authreel FP' -i '/home/ann/my ca/ca.pem'",
            ]
        )
        let record = try firstRecord(plan)
        #expect(record.madeDatabase)
        #expect(record.madeFolders == ["/home/ann/.pki", "/home/ann/.pki/nssdb"])
    }

    @Test func nothingIsMadeForABrowserThatIsNotThere() {
        #expect(planner(PaperMachine(tools: ["certutil": "certutil"])).stores().isEmpty)
        let asked = planner(PaperMachine(tools: ["certutil": "certutil"])).stores(asked: [.nss])
        #expect(asked == [database])
    }

    @Test func profilesOfFirefoxAreFoundByTheirDatabase() {
        var machine = chromium()
        machine.addDatabase("/home/ann/.mozilla/firefox/a b.default", [])
        machine.files["/home/ann/.mozilla/firefox/profiles.ini"] = []
        machine.folders.insert("/home/ann/.mozilla/firefox/never-started")
        let plan = trusting(machine)
        #expect(plan.stores == [database, .nss(folder: "/home/ann/.mozilla/firefox/a b.default")])
        #expect(
            lines(plan).last == "certutil -A -d 'sql:/home/ann/.mozilla/firefox/a b.default' -t C,, "
                + "-n 'authreel FP' -i '/home/ann/my ca/ca.pem'"
        )
    }

    @Test func databaseThatWasMadeGoesUnlessItHoldsSomethingElse() throws {
        let record = try firstRecord(trusting(chromium()))
        let known = TrustRecords(records: [record])
        var machine = chromium()
        machine.addDatabase("/home/ann/.pki/nssdb", [("authreel \(short)", "C,,")])
        let plan = planner(machine).untrusting([], in: [database], known: known)
        #expect(
            lines(plan) == [
                "rm -f /home/ann/.pki/nssdb/cert9.db /home/ann/.pki/nssdb/key4.db /home/ann/.pki/nssdb/pkcs11.txt",
                "rmdir /home/ann/.pki/nssdb", "rmdir /home/ann/.pki",
            ]
        )
        let kept = planner(machine).untrusting([], in: [database], known: known, keepsPlaces: true)
        #expect(lines(kept) == ["certutil -D -d sql:/home/ann/.pki/nssdb -n 'authreel FP'"])

        machine.addDatabase("/home/ann/.pki/nssdb", [("authreel \(short)", "C,,"), ("My Bank", "u,u,u")])
        #expect(lines(planner(machine).untrusting([], in: [database], known: known)) == lines(kept))
    }

    @Test func foldersOfADatabaseThatNeverCameAboutAreRemoved() throws {
        let record = try firstRecord(trusting(chromium()))
        var machine = chromium()
        machine.folders.insert("/home/ann/.pki")
        let plan = planner(machine).untrusting([], in: [database], known: TrustRecords(records: [record]))
        #expect(lines(plan) == ["rmdir /home/ann/.pki"])
        let nothing = planner(chromium()).untrusting(
            [],
            in: [database],
            known: TrustRecords(records: [record])
        )
        #expect(nothing.isEmpty && nothing.forgets == [record])
    }

    @Test func secondAttemptRemembersWhatTheFirstHasMade() throws {
        let record = try firstRecord(trusting(chromium()))
        var machine = chromium()
        machine.addDatabase("/home/ann/.pki/nssdb", [])
        let plan = planner(machine).trusting(
            authority,
            in: [database],
            known: TrustRecords(records: [record])
        )
        #expect(lines(plan).count == 1)
        #expect(plan.changes.first?.adds == [record])
    }

    @Test func certificateWithoutTrustIsTrustedAgain() {
        // What certutil leaves when it is refused the database's password.
        var machine = chromium()
        machine.addDatabase("/home/ann/.pki/nssdb", [("authreel \(short)", ",,")])
        #expect(lines(trusting(machine)).count == 1)
        machine.addDatabase("/home/ann/.pki/nssdb", [("authreel \(short)", "C,,")])
        #expect(trusting(machine).isEmpty)
    }

    @Test func certificateThatWasImportedInTheBrowserIsFoundByItsFingerprint() {
        var machine = chromium()
        machine.addDatabase("/home/ann/.pki/nssdb", [("authreel 2026-11-21", "CT,C,")])
        machine.outputs["certutil -L -d sql:/home/ann/.pki/nssdb -n authreel 2026-11-21 -a"] = ToolOutput(
            status: 0,
            text: String(decoding: pem, as: UTF8.self)
        )
        #expect(trusting(machine).isEmpty)
        let plan = planner(machine).untrusting([authority], in: [database], known: TrustRecords())
        #expect(lines(plan) == ["certutil -D -d sql:/home/ann/.pki/nssdb -n 'authreel 2026-11-21'"])
    }
}
