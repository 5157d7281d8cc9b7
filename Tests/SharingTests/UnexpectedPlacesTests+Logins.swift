/// What sign-in pages, providers' interfaces and the logs of those who sign in somebody hold.
extension UnexpectedPlacesTests {
    static let loginRows: [Row] = [
        Row(
            name: "names of somebody that providers have of their own",
            body:
                #"{"USER_ID_FOR_SRP":"veldmuis","sUserDisplayName":"Hazelaar","custom:employee_no":"K77x","custNo":"57551313","#
                + #""birth_family_name":"Zandhaas","also_known_as":"Bolund","mothersMaidenName":"Wezel","acct":"ijsvogel","#
                + #""secretPhrase":"mead77owsx","displayNames":"kestrel","acct_type":"harbour"}"#,
            gone: [
                "veldmuis", "Hazelaar", "K77x", "57551313", "Zandhaas", "Bolund", "Wezel", "ijsvogel",
                "mead77owsx",
            ],
            stays: ["kestrel", "harbour"]
        )
    ]
}
