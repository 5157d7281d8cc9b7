import Testing

@testable import Sharing

/// Values of which a member says only how they are written, in which language, or when they were so.
struct WrappedValuesTests {
    @Test(arguments: [
        (#"{"family_name":{"S":"Quill"}}"#, ["family_name=Quill"]),
        (
            #"{"family_name":{"L":[{"S":"Quill"},{"S":"Quorn"}]}}"#,
            ["family_name=Quill", "family_name=Quorn"]
        ),
        (#"{"family_name":{"en":"Quill","ja-Kana-JP":"クイル"}}"#, ["family_name=Quill", "family_name=クイル"]),
        (#"{"family_name":{"localized":{"en_US":"Quill"}}}"#, ["family_name=Quill"]),
        (#"{"email":{"@value":"a@b.example"}}"#, ["email=a@b.example"]),
        (#"{"password":{"old":"zem4K!","new":"zem5K!"}}"#, ["password=zem4K!", "password=zem5K!"]),
        (
            #"{"password":{"old":"Mypassword","new":"Newpassword"}}"#,
            ["password=Mypassword", "password=Newpassword"]
        ),
        (#"{"given_name":{"values":["Ada","Bo"]}}"#, ["given_name=Ada", "given_name=Bo"]),
        (
            #"{"key":"user.name","value":{"arrayValue":{"values":[{"stringValue":"aquill"}]}}}"#,
            ["key=user.name", "user.name=aquill"]
        ),
        (#"{"gender":{"values":["male","female"]}}"#, ["values=male", "values=female"]),
        // What pages say, what an object is called otherwise, and what nobody is called by.
        (#"{"password":{"en":"Enter it"}}"#, ["en=Enter it"]),
        (#"{"username":{"de":"Ihr Zugang"}}"#, ["de=Ihr Zugang"]),
        (#"{"email":{"en":"Enter it"},"city":{"en":"Where?"}}"#, ["en=Enter it", "en=Where?"]),
        (#"{"displayName":{"en":"Acme Shop"}}"#, ["en=Acme Shop"]),
        (#"{"password":{"old":"Old password","new":"New password"}}"#, []),
        (#"{"mobile":{"id":"x"},"theme":{"s":"dark","en":"Dark"}}"#, ["id=x", "s=dark", "en=Dark"]),
        (#"{"S":"Quill"}"#, ["S=Quill"]),
        // Where somebody is; what pages call a tenant, and somebody.
        (#"{"geographicalContext":{"city":"Bern","country":"CH"}}"#, ["city_name=Bern", "country=CH"]),
        (#"{"shop":{"city":"Bern"}}"#, ["city=Bern"]),
        (
            #"{"tenant":{"displayName":"Acme"},"roles":[{"displayName":"Read"}]}"#,
            [
                "shown_name=Acme", "shown_name=Read",
            ]
        ),
        (#"{"owner":{"displayName":"Ada"}}"#, ["displayName=Ada"]),
        (
            #"{"groups":[{"displayName":"Ada Quill","userPrincipalName":"ada"}]}"#,
            ["displayName=Ada Quill", "userPrincipalName=ada"]
        ),
        (
            #"{"role":{"email":"a@b.example","name":"aq","display_name":"Ada Quill"}}"#,
            ["email=a@b.example", "displayName=aq", "displayName=Ada Quill"]
        ),
    ])
    func valueIsCalledByTheObjectAroundIt(text: String, told: [String]) {
        #expect(ScriptSlots.told(text) == told)
    }
}
