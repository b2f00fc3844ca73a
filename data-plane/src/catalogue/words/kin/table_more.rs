//! More kin words, in the form of `table`: of particular fields, and what plain tasks say.

/// See the module.
pub(super) const PARTICULAR: &str = "
write backup export snapshot < back_up make_a_backup
write alert notify policy threshold budget < warn warn_me alarm
write schedule cron scheduler < every_day every_morning every_night every_week every_hour
write encrypt key kms cipher
write decrypt < decipher
write synthesize speech voice audio < read_aloud speak read_out_loud
write transcribe recognize speech transcription caption subtitle < write_down dictation spoken said
write moderate report flag < abusive
write rate rating vote < thumbs
write record log track
write execute query run < ask_a_question
write validate verify check < correct
write compress optimize < make_smaller
write split separate < divide
write install setup provision < put_on
write uninstall remove < take_off
write hire onboard employee create < take_on
write dismiss terminate offboard < fire let_go
write fulfill complete ship < carry_out
write claim redeem < cash_in
write adjust update modify < raise_by lower_by increase decrease
write limit quota throttle cap < restrict
write wipe erase reset action < lost stolen
write train fit < teach
write predict forecast inference < guess foresee

read read access get value < reveal
read sentiment emotion mood < friendly angry happy
read classify category topic < what_kind what_sort
read threat malware phishing unsafe < dangerous safe harmful
read speed performance latency pagespeed < fast slow
read error incident report log < went_wrong go_wrong failing
read nearby near place < close_to around_here near_me
read duplicate match < same_as twice
read profile me account < about_me who_am_i
read export report < hand_out give_me_a_file

- budget cost spend billing limit < spending
- earning revenue report payment < earn income earned made
- ad ads advertisement campaign adsense < advert advertising
- audience segment target
- keyword query search term
- seo search ranking
- secret password credential
- login user account credential
- service_account serviceaccount account
- encryption key kms
- identity user principal
- audit log activity
- shipment tracking carrier
- carrier courier shipping
- barcode sku ean isbn
- isbn book
- book title < novel
- song track music
- album collection
- recording audio transcript
- transcript caption subtitle
- subtitle caption
- step activity fitness exercise < walk
- weight measurement body
- heart pulse
- patient person subject
- prescription medication drug < medicine
- diagnosis condition
- insurance policy coverage
- claim case
- property listing house apartment < flat
- tenant lease rental
- car vehicle < automobile
- driver courier
- restaurant place food
- recipe meal dish
- ticket pass admission
- seat place
- passenger traveler traveller
- train rail
- airport flight
- donation gift contribution
- invoice receivable ledger
- supplier payable vendor
- asset inventory equipment
- device endpoint hardware < machine gadget
- sensor reading measurement telemetry
- model version deployment
- experiment test variant < a_b_test
- environment stage < staging production
- artifact package build
- image container registry
- function lambda < serverless
- gateway proxy route
- certificate credential
- license seat entitlement < licence
- user seat license
- workspace project account
- feed stream timeline
- follower friend connection
- bookmark favorite star
- hashtag tag topic
- story post
- font typeface
- color colour theme
- theme template style
- time timezone clock
- holiday calendar
- hour time timesheet < worked
- timesheet hour time entry
- goal objective target okr
- note memo annotation
- plan subscription tier
- trial subscription
- gift card voucher
- loyalty point reward
- complaint ticket feedback
- question query faq
- knowledge article faq
- spam abuse
- consent privacy
- policy rule
- rule policy condition
- variable parameter secret env
- parameter variable argument

write remove kick delete < throw_out kick_out boot_out expel eject
read history message log < was_said were_said talked_about
write set adjust < turn_down turn_up louder quieter
write pin < at_the_top on_top to_the_top
write create subtask child checklist < break_down split_up subdivide smaller
write follower watcher subscriber add < follow
write pickup schedule collection < collect come_and_collect pick_up
write close manifest closeout < end_of_day close_the_day
write create record update dns < point_at point_to
write deploy build publish restore < live_again go_live put_live back_online
write assign assignee update < give_to hand_to pass_to
write accept close < concede
write create subscription recurring plan < every_month each_month every_year monthly yearly
write suppress suppression reject blacklist unsubscribe < never_email stop_emailing
read list container process task < is_running are_running
read status build result check < pass passed succeed succeeded
read query filter search < match_a_filter that_match
- catalog product item < catalogue
- dispute chargeback claim < challenge contest
- bounce reject suppression block invalid < undelivered
- status presence profile < my_status
- task todo incomplete < left_to_do still_to_do
- column section list stage < lane
- member team membership employee < staff works_here who_works
- parcel shipment package label

write mute snooze < silence quieten hush do_not_disturb
write void cancel < annul nullify unused
write exec execute run command < inside shell
read log output < printed print printout
write pull install import < download
write skip next < jump fast_forward
read current currently playing < right_now at_the_moment
write queue enqueue < line_up
write allow whitelist unblock < let_through
write rollback restore revert < previous earlier_version
read recommendation suggestion similar related < suggest recommend
write reminder < remind remind_me
write dependency blocker block link < wait depend
read rate quote estimate < cost price_of
read stat usage metric < memory processor cpu ram
read submission response entry < filled fill_in
write accumulate adjust add < earn award
write variable env secret set < environment
- reply thread < answer
- member user people person < people
- certificate tls ssl < https
- log history audit activity < diary
- snapshot image backup
- entry record item row
";
