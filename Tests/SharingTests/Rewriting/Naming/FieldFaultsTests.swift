import Captures
import JSON
import Testing

@testable import Sharing

/// What a server says of a field is no value of it.
struct FieldFaultsTests {
    @Test(arguments: [
        (#"{"errors":{"password":["is too short"],"last_name":"cannot be blank"}}"#, []),
        (#"{"errors":{"UserName":["'User Name' must not be empty."]}}"#, []),
        (#"{"ModelState":{"model.Password":["The Password must have a digit."]}}"#, []),
        (#"{"rules":{"password":"required|min:8","email":"required|email"}}"#, []),
        (#"{"user":{"errors":{"username":"TOO_SHORT"}}}"#, []),
        (
            #"{"password":["This password is too common."],"username":["A user with that username already exists."]}"#,
            []
        ),
        (
            #"{"errors":{"password":["Passwords must have at least one digit ('0'-'9').","is too short (minimum is 8 characters)"]}}"#,
            []
        ),
        (#"{"errors":{"password":["Your password can\u2019t be too similar to your name."]}}"#, []),
        (#"{"errors":{"password":"Das Passwort muss mindestens 8 Zeichen lang sein."}}"#, []),
        (#"{"errors":{"name":"cannot be blank","email":"is invalid"}}"#, []),
        (#"{"errors":{"user":{"username":"usernameTaken","last_name":"Required"}}}"#, []),
        // What was refused, what somebody is called, and lists of what somebody has.
        (
            #"{"errors":{"password":{"value":"correct horse","msg":"is too short"}}}"#,
            ["password=correct horse", "msg=is too short"]
        ),
        (#"{"errors":{"username":"bolund"}}"#, ["username=bolund"]),
        (#"{"errors":{"username":"Ada Quill"}}"#, ["username=Ada Quill"]),
        (#"{"errors":{"username":"bolund77 is taken"}}"#, ["username=bolund77 is taken"]),
        (#"{"errors":{"phone":"015123456 is invalid"}}"#, ["phone=015123456 is invalid"]),
        (#"{"errors":{"username":"bolund is already taken"}}"#, ["username=bolund is already taken"]),
        (#"{"errors":{"username":"is already taken: bolund"}}"#, ["username=is already taken: bolund"]),
        (#"{"errors":{"username":"The user bolund exists."}}"#, ["username=The user bolund exists."]),
        (
            #"{"errors":{"last_name":"The name Ada Quill is taken"}}"#,
            ["last_name=The name Ada Quill is taken"]
        ),
        (#"{"errors":{"pin":"the pin 1234 is wrong"}}"#, ["pin=the pin 1234 is wrong"]),
        (
            #"{"username":["A user with the name bolund already exists."]}"#,
            ["username=A user with the name bolund already exists."]
        ),
        (#"{"errors":{"last_name":"van der Velde"}}"#, ["last_name=van der Velde"]),
        (#"{"errors":{"last_name":"Blankenship"}}"#, ["last_name=Blankenship"]),
        (#"{"errors":{"last_name":"Blank"}}"#, ["last_name=Blank"]),
        (#"{"error":{"user":{"password":"mistaken_fox"}}}"#, ["password=mistaken_fox"]),
        (#"{"error":{"user":{"password":"correct horse battery"}}}"#, ["password=correct horse battery"]),
        (
            #"{"error":{"request":{"password":"the dog must not die"}}}"#, ["password=the dog must not die"]
        ),
        (#"{"password":"This password is too common."}"#, ["password=This password is too common."]),
        (#"{"password":["correct horse battery staple"]}"#, ["password=correct horse battery staple"]),
        (
            #"{"securityAnswers":["My first dog is called Rex."]}"#,
            ["securityAnswers=My first dog is called Rex."]
        ),
        (#"{"error":{"message":"is too short"}}"#, ["message=is too short"]),
    ])
    func faultIsNoValueOfItsField(text: String, told: [String]) {
        #expect(ScriptSlots.told(text) == told)
    }

    /// Such texts are told to whoever reads the shared capture, and keep nobody from writing it.
    @Test func faultsAndStatesAreSharedAsTheyAre() throws {
        let faults =
            #"{"errors":{"password":["The password must be at least 8 characters."],"username":["is already taken"]},"#
            + #""methods":{"password":"enabled","otp":"optional"},"fields":{"given_name":"string"},"#
            + #""mapping":{"given_name":"givenName","username":"sAMAccountName"},"#
            + #""tenant":{"displayName":"Acme Holdings"}}"#
        let values =
            #"{"password":"zem4K!9x","given_name":"Philippa","geo":{"city":"Unterfelden"},"#
            + #""tenant":{"displayName":"Acme Holdings"},"owner":{"displayName":"Philippa Quill"}}"#
        var world = try SharingWorld()
        world.append("https://api.harbour.example/signup", json: faults)
        world.append("https://api.harbour.example/profile", json: values)
        world.options.keepsAll = true
        let shared = try world.shared()
        func body(_ index: Int) throws -> String {
            let entry = try shared.entry(shared.capture.count - index)
            return try #require(entry["response"]?["content"]?["text"]?.string)
        }
        #expect(try body(2) == faults)
        let text = try body(1)
        for value in ["zem4K!9x", "Philippa", "Quill", "Unterfelden"] { #expect(!text.contains(value)) }
        #expect(text.contains("Acme Holdings"))
        #expect(shared.differences.isEmpty)
        #expect(try SharingWorld.outcome(of: world.capture(), world.options).isProven)
    }
}
