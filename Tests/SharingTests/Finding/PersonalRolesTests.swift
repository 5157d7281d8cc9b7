import Captures
import JSON
import Testing

@testable import Sharing

/// What a state knows of somebody, as MyInfo writes it.
struct PersonalRolesTests {
    /// The words for a code are replaced with it; where they come from, and the form of all, stay.
    @Test func wordsOfARegisterAreReplacedWithTheirCodes() throws {
        let document =
            #"{"uinfin":{"source":"1","value":"S9812381D"},"sex":{"code":"F","source":"1","desc":"FEMALE"},"#
            + #""race":{"lastupdated":"2024-01-01","code":"CN","classification":"C","desc":"CHINESE"},"#
            + #""residentialstatus":{"code":"C","desc":"CITIZEN"},"religion":{"desc":"BUDDHIST"},"#
            + #""marriagedate":{"value":"2007-10-01"},"regadd":{"country":{"code":"SG","desc":"SINGAPORE"}},"#
            + #""vehicles":[{"type":{"value":"MOTORCAR"},"status":{"code":"1","desc":"LIVELY"}}],"#
            + #""history":[{"date":{"value":"2016-12-01"}}]}"#
        var world = try SharingWorld()
        world.append(
            "https://api.register.example/v4/person/x",
            json: document
        )
        let other = #"{"error":{"code":"CN","desc":"CHINESE is no locale"}}"#
        world.append("https://api.register.example/x", json: other)
        world.options.keepsAll = true
        let shared = try world.shared()
        func body(_ index: Int) throws -> String {
            let entry = try shared.entry(shared.capture.count - index)
            return try #require(entry["response"]?["content"]?["text"]?.string)
        }
        let text = try body(2)
        for word in [
            "FEMALE", "CHINESE", "CITIZEN", "BUDDHIST", "SINGAPORE", "2007-10-01", "MOTORCAR", "LIVELY",
            "2016-12-01", #""code":"F","source""#,
            #""2024-01-01","code":"CN""#,
        ] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.utf8.count == document.utf8.count)
        #expect(text.contains(#""race":{"lastupdated":"2024-01-01","code":""#))
        #expect(text.contains(#""classification":"C","desc":""#) && text.contains(#""source":"1","desc":""#))
        // An error has a code and a description, too.
        #expect(try body(1) == other)
        #expect(shared.differences.isEmpty)
    }

    @Test(arguments: ["race", "sex", "nationality", "residential_status", "maritalStatus", "user_country"])
    func isOfAPersonWherePeopleAreToldOf(name: String) {
        for (container, isPersonal) in [(TextKind.claims, true), (.form, true), (.json, false)] {
            var isSecret = false
            if case .secret(.personal) = SecretRoles.role(of: name, in: container) { isSecret = true }
            #expect(isSecret == (isPersonal || name == "user_country"))
        }
    }

    @Test(arguments: [
        ("CF-IPCity", TextKind.text), ("X-MS-CLIENT-PRINCIPAL-NAME", .text), ("idNumber", .json),
        ("X-authentik-name", TextKind.text), ("onprem_sam_account_name", .claims), ("manager", .claims),
        ("nazwisko", .form), ("imię", .json), ("Příjmení", .form), ("Sukunimi", .form), ("soyadı", .form),
        ("фамилия", .form), ("имя", .form), ("氏名", .json), ("姓名", .json), ("Vezetéknév", .form),
        ("CPUID", TextKind.claims), ("registeredAddress", .json),
        // Brokers of MitID, SPID, NHS login; what banks ask for beside a PIN.
        ("cprNumberIdentifier", TextKind.claims), ("https://attributes.spid.gov.it/idCard", .json),
        ("https://attributes.spid.gov.it/ivaCode", .claims), ("gp_linkage_key", .claims),
        ("customer", .form),
        // UAE PASS, Nafath.
        ("fullnameAR", .json), ("firstnameEN", .json), ("dateOfBirthH", .json),
    ])
    func nameSaysThatSomebodyIsMeant(name: String, container: TextKind) {
        guard case .secret(.personal) = SecretRoles.role(of: name, in: container) else {
            Issue.record("\(name) says nothing")
            return
        }
    }

    @Test(arguments: [("X-Userinfo", true), ("data-user", true), ("profile", true), ("data-page", false)])
    func nameSaysThatADocumentIsAboutSomebody(name: String, isPerson: Bool) {
        #expect(PersonalRoles.isPerson(name) == isPerson)
    }
}
